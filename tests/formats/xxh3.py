"""XXH3 of 64 and 128 bits, after xxHash's specification (doc/xxhash_spec.md, version 0.2.0 of 2023), in plain Python.

`hash64(data, seed)` and `hash128(data, seed)` return numbers. Slow on purpose: nothing here is shared with the extension, whose hashes come
from the crate xxhash-rust, so an error in one of the two shows.
"""

WORD = (1 << 64) - 1
HALF = (1 << 32) - 1

# The primes of XXH32 and XXH64.
P32 = [0x9E3779B1, 0x85EBCA77, 0xC2B2AE3D]
P64 = [0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0x85EBCA77C2B2AE63, 0x27D4EB2F165667C5]
# Multipliers of the avalanche steps.
MIX1 = 0x165667919E3779F9
MIX2 = 0x9FB21C651E98DF25

# The default secret: random bytes that the specification fixes.
SECRET = bytes.fromhex(
    "b8fe6c3923a44bbe7c01812cf721ad1cded46de9839097db7240a4a4b7b3671fcb79e64eccc0e578825ad07dccff7221b8084674f743248ee03590e6813a264c"
    "3c2852bb91c300cb88d0658b1b532ea371644897a20df94e3819ef46a9deacd8a8fa763fe39c343ff9dcbbc7c70b4f1d8a51e04bcdb45931c89f7ec9d9787364"
    "eac5ac8334d3ebc3c581a0fffa1363eb170ddd51b7f0da49d316552629d4689e2b16be587d47a1fc8ff8b8d17ad031ce45cb3a8f95160428afd7fbcabb4b407e"
)


def u32(data, at):
    return int.from_bytes(data[at : at + 4], "little")


def u64(data, at):
    return int.from_bytes(data[at : at + 8], "little")


def swap32(x):
    return int.from_bytes(x.to_bytes(4, "little"), "big")


def swap64(x):
    return int.from_bytes(x.to_bytes(8, "little"), "big")


def rotate(x, bits):
    return (x << bits | x >> (64 - bits)) & WORD


def fold(a, b):
    product = a * b
    return (product ^ product >> 64) & WORD


def avalanche(x):
    x = (x ^ x >> 37) * MIX1 & WORD
    return x ^ x >> 32


def avalanche_64(x):
    """The last steps of XXH64."""
    x = (x ^ x >> 33) * P64[1] & WORD
    x = (x ^ x >> 29) * P64[2] & WORD
    return x ^ x >> 32


def joined(data):
    """One to three bytes as a number, with their length."""
    length = len(data)
    return data[0] << 16 | data[length >> 1] << 24 | data[-1] | length << 8


def short_64(data, seed):
    length = len(data)
    if length == 0:
        return avalanche_64(seed ^ u64(SECRET, 56) ^ u64(SECRET, 64))
    if length <= 3:
        return avalanche_64(joined(data) ^ ((u32(SECRET, 0) ^ u32(SECRET, 4)) + seed) & WORD)
    if length <= 8:
        seed ^= swap32(seed & HALF) << 32
        keyed = (u64(SECRET, 8) ^ u64(SECRET, 16)) - seed & WORD
        x = keyed ^ (u32(data, length - 4) + (u32(data, 0) << 32))
        x ^= rotate(x, 49) ^ rotate(x, 24)
        x = x * MIX2 & WORD
        x ^= (x >> 35) + length
        x = x * MIX2 & WORD
        return x ^ x >> 28
    low = u64(data, 0) ^ (u64(SECRET, 24) ^ u64(SECRET, 32)) + seed & WORD
    high = u64(data, length - 8) ^ (u64(SECRET, 40) ^ u64(SECRET, 48)) - seed & WORD
    return avalanche(length + swap64(low) + high + fold(low, high) & WORD)


def short_128(data, seed):
    length = len(data)
    if length == 0:
        return avalanche_64(seed ^ u64(SECRET, 64) ^ u64(SECRET, 72)), avalanche_64(seed ^ u64(SECRET, 80) ^ u64(SECRET, 88))
    if length <= 3:
        low = joined(data)
        high = swap32(low)
        high = (high << 13 | high >> 19) & HALF
        low ^= (u32(SECRET, 0) ^ u32(SECRET, 4)) + seed & WORD
        high ^= (u32(SECRET, 8) ^ u32(SECRET, 12)) - seed & WORD
        return avalanche_64(low), avalanche_64(high)
    if length <= 8:
        seed ^= swap32(seed & HALF) << 32
        keyed = (u64(SECRET, 16) ^ u64(SECRET, 24)) + seed & WORD
        product = (keyed ^ (u32(data, 0) + (u32(data, length - 4) << 32))) * (P64[0] + (length << 2) & WORD)
        low, high = product & WORD, product >> 64
        high = high + (low << 1) & WORD
        low ^= high >> 3
        low = (low ^ low >> 35) * MIX2 & WORD
        return low ^ low >> 28, avalanche(high)
    first = (u64(SECRET, 32) ^ u64(SECRET, 40)) - seed & WORD
    second = (u64(SECRET, 48) ^ u64(SECRET, 56)) + seed & WORD
    high = u64(data, length - 8)
    product = (u64(data, 0) ^ high ^ first) * P64[0]
    low, upper = product & WORD, product >> 64
    low = low + (length - 1 << 54) & WORD
    high ^= second
    upper = upper + high + (high & HALF) * (P32[1] - 1) & WORD
    low ^= swap64(upper)
    product = low * P64[1]
    low, upper = product & WORD, (product >> 64) + upper * P64[1] & WORD
    return avalanche(low), avalanche(upper)


def mixed(data, at, secret_at, seed):
    low = u64(data, at) ^ u64(SECRET, secret_at) + seed & WORD
    high = u64(data, at + 8) ^ u64(SECRET, secret_at + 8) - seed & WORD
    return fold(low, high)


def middle_64(data, seed):
    length = len(data)
    total = length * P64[0] & WORD
    if length <= 128:
        for i in reversed(range((length - 1) // 32 + 1)):
            total += mixed(data, 16 * i, 32 * i, seed) + mixed(data, length - 16 * (i + 1), 32 * i + 16, seed)
        return avalanche(total & WORD)
    total += sum(mixed(data, 16 * i, 16 * i, seed) for i in range(8))
    total = avalanche(total & WORD)
    total += sum(mixed(data, 16 * i, 16 * (i - 8) + 3, seed) for i in range(8, length // 16))
    return avalanche(total + mixed(data, length - 16, 136 - 17, seed) & WORD)


def mixed_pair(pair, data, first, second, secret_at, seed):
    low, high = pair
    low = (low + mixed(data, first, secret_at, seed) & WORD) ^ u64(data, second) + u64(data, second + 8) & WORD
    high = (high + mixed(data, second, secret_at + 16, seed) & WORD) ^ u64(data, first) + u64(data, first + 8) & WORD
    return low, high


def middle_128(data, seed):
    length = len(data)
    pair = length * P64[0] & WORD, 0
    if length <= 128:
        for i in reversed(range((length - 1) // 32 + 1)):
            pair = mixed_pair(pair, data, 16 * i, length - 16 * (i + 1), 32 * i, seed)
    else:
        for i in range(4):
            pair = mixed_pair(pair, data, 32 * i, 32 * i + 16, 32 * i, seed)
        pair = avalanche(pair[0]), avalanche(pair[1])
        for i in range(4, length // 32):
            pair = mixed_pair(pair, data, 32 * i, 32 * i + 16, 3 + 32 * (i - 4), seed)
        pair = mixed_pair(pair, data, length - 16, length - 32, 136 - 17 - 16, -seed & WORD)
    low, high = pair
    mixture = low * P64[0] + high * P64[3] + (length - seed & WORD) * P64[1] & WORD
    return avalanche(low + high & WORD), -avalanche(mixture) & WORD


def seeded(seed):
    if not seed:
        return SECRET
    parts = (u64(SECRET, at) + (seed if at % 16 == 0 else -seed) & WORD for at in range(0, len(SECRET), 8))
    return b"".join(part.to_bytes(8, "little") for part in parts)


def accumulate(lanes, data, at, secret, secret_at):
    for lane in range(8):
        value = u64(data, at + 8 * lane)
        keyed = value ^ u64(secret, secret_at + 8 * lane)
        lanes[lane ^ 1] = lanes[lane ^ 1] + value & WORD
        lanes[lane] = lanes[lane] + (keyed & HALF) * (keyed >> 32) & WORD


def merged(lanes, secret, secret_at, total):
    for i in range(0, 8, 2):
        total += fold(lanes[i] ^ u64(secret, secret_at + 8 * i), lanes[i + 1] ^ u64(secret, secret_at + 8 * i + 8))
    return avalanche(total & WORD)


def long(data, seed):
    """The eight lanes after the last stripe, and the secret."""
    secret = seeded(seed)
    lanes = [P32[2], P64[0], P64[1], P64[2], P64[3], P32[1], P64[4], P32[0]]
    stripes = (len(secret) - 64) // 8
    block = 64 * stripes
    blocks = (len(data) - 1) // block
    for start in range(0, blocks * block, block):
        for stripe in range(stripes):
            accumulate(lanes, data, start + 64 * stripe, secret, 8 * stripe)
        for lane in range(8):
            key = u64(secret, len(secret) - 64 + 8 * lane)
            lanes[lane] = (lanes[lane] ^ lanes[lane] >> 47 ^ key) * P32[0] & WORD
    for stripe in range((len(data) - 1 - block * blocks) // 64):
        accumulate(lanes, data, block * blocks + 64 * stripe, secret, 8 * stripe)
    accumulate(lanes, data, len(data) - 64, secret, len(secret) - 71)
    return lanes, secret


def hash64(data, seed=0):
    if len(data) <= 16:
        return short_64(data, seed)
    if len(data) <= 240:
        return middle_64(data, seed)
    lanes, secret = long(data, seed)
    return merged(lanes, secret, 11, len(data) * P64[0])


def hash128(data, seed=0):
    if len(data) <= 16:
        low, high = short_128(data, seed)
    elif len(data) <= 240:
        low, high = middle_128(data, seed)
    else:
        lanes, secret = long(data, seed)
        low = merged(lanes, secret, 11, len(data) * P64[0])
        high = merged(lanes, secret, len(secret) - 64 - 11, ~(len(data) * P64[1]) & WORD)
    return high << 64 | low
