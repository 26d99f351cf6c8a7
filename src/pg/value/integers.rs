//! Integer arrays as arguments, read in place.

use std::borrow::Cow;

use pgrx::callconv::{Arg, ArgAbi};
use pgrx::pgrx_sql_entity_graph::impl_sql_translatable;

/// An argument of type `integer[]`; NULL elements are ignored.
pub struct Integers<'a>(pgrx::Array<'a, i32>);

impl_sql_translatable!(Integers<'_>, "integer[]");

// SAFETY: reads the array through pgrx's own view of it.
unsafe impl<'fcx> ArgAbi<'fcx> for Integers<'fcx> {
    unsafe fn unbox_arg_unchecked(arg: Arg<'_, 'fcx>) -> Self {
        // SAFETY: an array of integers that is not null is guaranteed by the caller.
        Self(unsafe { arg.unbox_unchecked() })
    }
}

impl Integers<'_> {
    /// Returns the distinct elements in ascending order, without a copy if they are stored so.
    pub fn sorted(&self) -> Cow<'_, [i32]> {
        if let Ok(stored) = self.0.as_slice()
            && stored.is_sorted_by(|a, b| a < b)
        {
            return Cow::Borrowed(stored);
        }
        let mut elements: Vec<i32> = self.0.iter().flatten().collect();
        elements.sort_unstable();
        elements.dedup();
        Cow::Owned(elements)
    }

    /// Returns the distinct elements in a fixed order, to count those that two sets share.
    pub fn sorted_words(&self) -> Vec<u32> {
        let mut words: Vec<u32> = self.sorted().iter().map(|&element| element.cast_unsigned()).collect();
        if !words.is_sorted() {
            words.sort_unstable();
        }
        words
    }
}
