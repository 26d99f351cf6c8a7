//! Sentences of a text, with their places.
