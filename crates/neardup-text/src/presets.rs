//! Analyzers by name. Promised not to change: the meaning of a name.

/// An analyzer by name.
#[derive(Clone, Copy, Debug)]
pub struct Preset {
    /// The name in SQL, which is part of the stored format.
    pub name: &'static str,
    /// The JSON object it stands for.
    pub definition: &'static str,
    /// What it is good for, in one line.
    pub purpose: &'static str,
}

const fn preset(name: &'static str, definition: &'static str, purpose: &'static str) -> Preset {
    Preset { name, definition, purpose }
}

/// All presets but two with a number: `chars:N` stands for `{"tokenizer":"chars","size":N}`, and `shingles:N` for
/// `{"tokenizer":"words","shingle":N}`: N consecutive units, a unit being a Han character or a word.
pub const ALL: &[Preset] = &[
    preset("jieba", r#"{"tokenizer":"jieba","mode":"exact"}"#, "Chinese words, once each; guesses unknown ones"),
    preset("jieba_full", r#"{"tokenizer":"jieba","mode":"full"}"#, "every Chinese dictionary word, overlapping"),
    preset(
        "jieba_search",
        r#"{"tokenizer":"jieba","mode":"search"}"#,
        "Chinese words, and the shorter words inside long ones",
    ),
    preset(
        "ik_smart",
        r#"{"tokenizer":"ik","mode":"smart"}"#,
        "Chinese words as the IK analyzer's coarse mode cuts them",
    ),
    preset(
        "ik_max_word",
        r#"{"tokenizer":"ik","mode":"max_word"}"#,
        "every Chinese word, number and measure, as the IK analyzer's fine mode",
    ),
    preset(
        "longest_match",
        r#"{"tokenizer":"longest_match"}"#,
        "Chinese words, from left to right the longest; fastest",
    ),
    preset(
        "shortest_path",
        r#"{"tokenizer":"shortest_path"}"#,
        "Chinese words, the most probable way by word frequency",
    ),
    preset(
        "n_shortest_path",
        r#"{"tokenizer":"n_shortest_path","paths":2}"#,
        "Chinese words, the most probable among the ways with fewest words",
    ),
    preset("index", r#"{"tokenizer":"index"}"#, "Chinese words, and all dictionary words inside long ones"),
    preset("words", r#"{"tokenizer":"words"}"#, "words of languages with spaces; Han characters one by one"),
];
