// Times simhash-cpp's find_all on signatures, one decimal int64 a line: find_all FILE ROUNDS.
// Prints a name, the pairs found and the seconds of the best round, with tabs between.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <unordered_set>

#include "simhash.h"

int main(int, char **arguments) {
    std::unordered_set<Simhash::hash_t> signatures;
    std::ifstream file(arguments[1]);
    for (long long signature; file >> signature;) {
        signatures.insert(static_cast<Simhash::hash_t>(signature));
    }
    double best = 1e9;
    std::size_t pairs = 0;
    for (int round = std::atoi(arguments[2]); round > 0; round--) {
        auto start = std::chrono::steady_clock::now();
        // Four blocks for three bits, the fewest it takes, is its quickest.
        pairs = Simhash::find_all(signatures, 4, 3).size();
        std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
        best = time.count() < best ? time.count() : best;
    }
    std::printf("find_all\t%zu\t%f\n", pairs, best);
}
