//! A safe view of a row trigger's call.

use std::ffi::CStr;

use pgrx::{PgList, pg_sys};

use crate::pg::call::column::Column;
use crate::pg::call::function::Argument;
use crate::pg::call::statement::Statement;
use crate::pg::value::text::text_of;

/// One firing of a `BEFORE ... FOR EACH ROW` trigger.
pub struct RowTrigger<'a> {
    data: &'a pg_sys::TriggerData,
    definition: Definition<'a>,
    statement: Statement,
}

/// A trigger as its table has it.
///
/// Its columns are those of its `UPDATE OF` list, in the order of that list. Postgres stores them as attribute numbers, so the
/// list survives renames, dump and restore, and partitions with other column orders.
#[derive(Clone, Copy)]
pub struct Definition<'a>(&'a pg_sys::Trigger);

/// What happens to the row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    Insert,
    /// It replaces an older version of itself.
    Update,
    /// It is removed.
    Delete,
}

/// One of the two rows of the event.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Row {
    /// The row as it will be; there is none in a deletion.
    New,
    /// The row as it was; there is none in an insertion.
    Old,
}

/// Returns the data of a trigger function's call.
///
/// # Safety
/// `fcinfo` must be the argument of a function, during its call.
unsafe fn trigger_data<'a>(fcinfo: pg_sys::FunctionCallInfo) -> Option<&'a pg_sys::TriggerData> {
    // SAFETY: fcinfo is guaranteed by the caller; called_as_trigger has checked the context's tag before the cast.
    unsafe {
        if !pgrx::trigger_support::called_as_trigger(fcinfo) {
            return None;
        }
        (*fcinfo).context.cast::<pg_sys::TriggerData>().as_ref()
    }
}

/// Says whether a call is that of an AFTER trigger.
///
/// # Safety
/// `fcinfo` must be the argument of a function, during its call.
pub unsafe fn is_after(fcinfo: pg_sys::FunctionCallInfo) -> bool {
    // SAFETY: guaranteed by the caller.
    let data = unsafe { trigger_data(fcinfo) };
    data.is_some_and(|data| data.tg_event & pg_sys::TRIGGER_EVENT_TIMINGMASK == pg_sys::TRIGGER_EVENT_AFTER)
}

/// Returns how many triggers are running, one inside the other; 0 outside all of them.
pub fn depth() -> i32 {
    let mut call = pg_sys::FunctionCallInfoBaseData::default();
    // SAFETY: the function behind SQL's pg_trigger_depth() takes no argument.
    unsafe { pg_sys::pg_trigger_depth(&raw mut call).value() as i32 }
}

impl<'a> RowTrigger<'a> {
    /// Takes the trigger out of a call; `None` unless it is a BEFORE ROW trigger.
    ///
    /// # Safety
    /// `fcinfo` must be the argument of a trigger function, at the beginning of its call.
    pub unsafe fn from_fcinfo(fcinfo: pg_sys::FunctionCallInfo) -> Option<Self> {
        // SAFETY: guaranteed by the caller.
        let data = unsafe { trigger_data(fcinfo)? };
        // SAFETY: tg_trigger of a running trigger is valid for the call.
        let trigger = unsafe { data.tg_trigger.as_ref()? };
        let row_before = data.tg_event & pg_sys::TRIGGER_EVENT_ROW != 0
            && data.tg_event & pg_sys::TRIGGER_EVENT_TIMINGMASK == pg_sys::TRIGGER_EVENT_BEFORE;
        row_before.then_some(Self { data, definition: Definition(trigger), statement: Statement::of_row() })
    }

    /// Returns what happens to the row.
    pub fn event(&self) -> Event {
        match self.data.tg_event & pg_sys::TRIGGER_EVENT_OPMASK {
            pg_sys::TRIGGER_EVENT_INSERT => Event::Insert,
            pg_sys::TRIGGER_EVENT_UPDATE => Event::Update,
            _ => Event::Delete,
        }
    }

    fn tuple(&self, row: Row) -> Option<pg_sys::HeapTuple> {
        let tuple = match (row, self.event()) {
            (Row::New, Event::Update) => self.data.tg_newtuple,
            (Row::New, Event::Insert) | (Row::Old, Event::Update | Event::Delete) => self.data.tg_trigtuple,
            (Row::New, Event::Delete) | (Row::Old, Event::Insert) => return None,
        };
        (!tuple.is_null()).then_some(tuple)
    }

    /// Returns the slot of the new row; null in a deletion.
    pub(in crate::pg) fn slot(&self) -> *mut pg_sys::TupleTableSlot {
        match self.event() {
            Event::Insert => self.data.tg_trigslot,
            Event::Update => self.data.tg_newslot,
            Event::Delete => std::ptr::null_mut(),
        }
    }

    /// Says whether the new row of an insertion is stored as this trigger leaves it, and whether a trigger named `<this one's>_stored` then learns of
    /// that: no BEFORE trigger with another function follows, and triggers of the table fire in this session.
    pub fn is_seen_stored(&self) -> bool {
        const BEFORE_INSERT: i16 =
            (pg_sys::TRIGGER_TYPE_ROW | pg_sys::TRIGGER_TYPE_BEFORE | pg_sys::TRIGGER_TYPE_INSERT) as i16;
        let own = self.definition.0;
        // SAFETY: the relation of a running trigger is open, and has its triggers in the order in which they fire; their names end in NUL.
        unsafe {
            let all = (*self.data.tg_relation).trigdesc.as_ref();
            let Some(all) =
                all.filter(|_| pg_sys::SessionReplicationRole != pg_sys::SESSION_REPLICATION_ROLE_REPLICA as i32)
            else {
                return false;
            };
            let all = std::slice::from_raw_parts(all.triggers, usize::try_from(all.numtriggers).unwrap_or(0));
            let name = |of: &pg_sys::Trigger| CStr::from_ptr(of.tgname).to_bytes().to_vec();
            let stored = [&*name(own), b"_stored"].concat();
            let later = all.iter().skip_while(|other| other.tgoid != own.tgoid);
            let fires = |other: &pg_sys::Trigger| matches!(other.tgenabled as u8, b'O' | b'A');
            let follows =
                |other: &pg_sys::Trigger| other.tgtype & BEFORE_INSERT == BEFORE_INSERT && other.tgfoid != own.tgfoid;
            let sees = |other: &pg_sys::Trigger| name(other) == stored;
            !later.filter(|other| fires(other)).any(follows) && all.iter().filter(|other| fires(other)).any(sees)
        }
    }

    /// Returns the table whose row it is.
    pub(in crate::pg) fn relation(&self) -> pg_sys::Relation {
        self.data.tg_relation
    }

    /// Returns the statement that writes the row.
    pub fn statement(&self) -> Statement {
        self.statement
    }

    /// Returns the trigger.
    pub fn definition(&self) -> Definition<'a> {
        self.definition
    }

    /// Returns the table whose row it is: a partition if the table has partitions.
    pub fn relation_oid(&self) -> pg_sys::Oid {
        // SAFETY: the relation is open for the length of the call.
        unsafe { (*self.data.tg_relation).rd_id }
    }

    /// Returns the type of a column, with domains resolved; `None` if the table has no such column.
    pub fn column_type(&self, column: i16) -> Option<pg_sys::Oid> {
        // SAFETY: the relation is open for the length of the call, and its descriptor has natts attributes.
        unsafe {
            let descriptor = (*self.data.tg_relation).rd_att;
            if column < 1 || i32::from(column) > (*descriptor).natts {
                return None;
            }
            let declared = pg_sys::SPI_gettypeid(descriptor, i32::from(column));
            Some(pg_sys::getBaseType(declared))
        }
    }

    /// Returns a column's declared type and its collation; `None` if the table has no such column.
    pub fn column(&self, column: i16) -> Option<Column> {
        self.column_type(column)?;
        Some(Column::of(self.relation_oid(), column))
    }

    /// Returns a column's value, of a column the table has; `None` for NULL.
    pub fn value(&self, row: Row, column: i16) -> Option<pg_sys::Datum> {
        let tuple = self.tuple(row)?;
        let mut null = true;
        // SAFETY: the tuple has the shape of the relation's descriptor; the callers have checked the column.
        let datum =
            unsafe { pg_sys::heap_getattr(tuple, i32::from(column), (*self.data.tg_relation).rd_att, &mut null) };
        (!null).then_some(datum)
    }

    /// Returns a column's text, detoasted; `None` for NULL, and for a column that is not of a text type.
    pub fn text(&self, row: Row, column: i16) -> Option<&'a str> {
        if !is_text(self.column_type(column)?) {
            return None;
        }
        // SAFETY: a text type's datum is a varlena of text; what it points to lives in the memory of this call.
        unsafe { text_of(self.value(row, column)?) }
    }

    /// Returns the address of the row that an update replaces; `None` in an insert.
    pub fn replaced(&self) -> Option<pg_sys::ItemPointerData> {
        // SAFETY: tg_trigtuple is valid for the call.
        (self.event() == Event::Update).then(|| unsafe { (*self.data.tg_trigtuple).t_self })
    }

    /// Returns a column's value in text form; `None` for NULL.
    pub fn output(&self, row: Row, column: i16) -> Option<String> {
        let value = self.value(row, column)?;
        // SAFETY: the value is of the type that the relation's descriptor gives the column.
        unsafe {
            Some(crate::pg::call::column::output(
                value,
                pg_sys::SPI_gettypeid((*self.data.tg_relation).rd_att, i32::from(column)),
            ))
        }
    }

    /// Returns the whole new or old row, as a composite value of its table's type.
    pub fn row(&self, row: Row) -> Option<pg_sys::Datum> {
        let tuple = self.tuple(row)?;
        // SAFETY: the tuple has the shape of the relation's descriptor.
        Some(unsafe { pg_sys::heap_copy_tuple_as_datum(tuple, (*self.data.tg_relation).rd_att) })
    }

    /// Returns the type of its table's rows.
    pub fn row_type(&self) -> pg_sys::Oid {
        // SAFETY: the relation is open for the length of the call.
        unsafe { (*(*self.data.tg_relation).rd_rel).reltype }
    }

    /// Makes Postgres leave the row out.
    pub fn skip(&self) -> pg_sys::Datum {
        pg_sys::Datum::null()
    }

    /// Makes Postgres continue with the row unchanged; in an insert or update, it is stored.
    pub fn keep(&self) -> pg_sys::Datum {
        let row = if self.event() == Event::Delete { Row::Old } else { Row::New };
        self.tuple(row).map_or(pg_sys::Datum::null(), pg_sys::Datum::from)
    }

    /// Makes Postgres continue with other values in some columns; `None` if one is not of its column's type.
    pub fn keep_with(&self, changes: &[(i16, Argument)]) -> Option<pg_sys::Datum> {
        let Some(tuple) = self.tuple(Row::New) else { return Some(pg_sys::Datum::null()) };
        if !changes.iter().all(|(column, (kind, _))| self.column_type(*column) == Some(*kind)) {
            return None;
        }
        let mut columns: Vec<i32> = changes.iter().map(|(column, _)| i32::from(*column)).collect();
        let mut nulls: Vec<bool> = changes.iter().map(|(_, (_, value))| value.is_none()).collect();
        let mut values: Vec<pg_sys::Datum> =
            changes.iter().map(|(_, (_, value))| value.unwrap_or(pg_sys::Datum::null())).collect();
        // SAFETY: the tuple has the shape of the relation's descriptor, the arrays have an entry for each change, and
        // the values are copied.
        let changed = unsafe {
            pg_sys::heap_modify_tuple_by_cols(
                tuple,
                (*self.data.tg_relation).rd_att,
                changes.len() as i32,
                columns.as_mut_ptr(),
                values.as_mut_ptr(),
                nulls.as_mut_ptr(),
            )
        };
        Some(pg_sys::Datum::from(changed))
    }
}

impl<'a> Definition<'a> {
    /// Takes a trigger of an open relation.
    pub(in crate::pg) fn of(trigger: &'a pg_sys::Trigger) -> Self {
        Self(trigger)
    }

    /// Returns the trigger's identity; a partition's copy has its own.
    pub fn oid(&self) -> pg_sys::Oid {
        self.0.tgoid
    }

    /// Returns the function it runs.
    pub fn function(&self) -> pg_sys::Oid {
        self.0.tgfoid
    }

    /// Says whether it is a partition's copy of its parent's trigger.
    pub fn is_clone(&self) -> bool {
        self.0.tgisclone
    }

    /// Returns the trigger's name.
    pub fn name(&self) -> String {
        // SAFETY: tgname is a C string that lives as long as the trigger.
        unsafe { CStr::from_ptr(self.0.tgname) }.to_string_lossy().into_owned()
    }

    /// Returns the trigger's argument number `i`.
    pub fn argument(&self, i: usize) -> Option<&'a str> {
        if i >= usize::try_from(self.0.tgnargs).unwrap_or(0) {
            return None;
        }
        // SAFETY: tgargs has tgnargs C strings.
        unsafe { CStr::from_ptr(*self.0.tgargs.add(i)) }.to_str().ok()
    }

    /// Returns the function that the WHEN condition names as the argument of the extension's own function `marker`. Postgres keeps it by its
    /// number, through renames, and by its name in dumps, and refuses to drop it.
    pub fn named_in_condition(&self, marker: &CStr) -> Option<pg_sys::Oid> {
        let condition = self.0.tgqual;
        if condition.is_null() {
            return None;
        }
        // SAFETY: the condition is the text of a valid node, whose tag says what it is.
        unsafe {
            let call = pg_sys::stringToNode(condition).cast::<pg_sys::FuncExpr>();
            if call.is_null() || (*call).xpr.type_ != pg_sys::NodeTag::T_FuncExpr {
                return None;
            }
            let extension = |function| pg_sys::getExtensionOfObject(pg_sys::ProcedureRelationId, function);
            let name = pg_sys::get_func_name((*call).funcid);
            if extension((*call).funcid) != extension(self.function())
                || name.is_null()
                || CStr::from_ptr(name) != marker
            {
                return None;
            }
            let argument = PgList::<pg_sys::Node>::from_pg((*call).args).head()?;
            if (*argument).type_ != pg_sys::NodeTag::T_Const {
                return None;
            }
            let constant = &*argument.cast::<pg_sys::Const>();
            let is_function = constant.consttype == pg_sys::REGPROCEDUREOID && !constant.constisnull;
            is_function.then(|| pg_sys::Oid::from(constant.constvalue.value() as u32))
        }
    }

    /// Returns the attribute numbers of the `UPDATE OF` list, in its order.
    pub fn columns(&self) -> &'a [i16] {
        // SAFETY: tgattr has tgnattr numbers and lives as long as the trigger.
        unsafe {
            let count = usize::try_from(self.0.tgnattr).unwrap_or(0);
            if count == 0 { &[] } else { std::slice::from_raw_parts(self.0.tgattr, count) }
        }
    }
}

/// Says whether values of this type are stored like text.
pub fn is_text(oid: pg_sys::Oid) -> bool {
    [pg_sys::TEXTOID, pg_sys::VARCHAROID, pg_sys::BPCHAROID].contains(&oid)
}
