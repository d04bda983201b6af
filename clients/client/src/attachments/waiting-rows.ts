/** An undecided rejected change mentions the file's row. Ids are random, so a text search is exact. */
const IS_UNDECIDED = `exists (select 1 from hf_local_attention a where a.state = 'open'
     and (a.record_id = f.id or instr(a.operations, f.id) > 0 or instr(coalesce(a.held_ops, ''), f.id) > 0))`

/** Files whose row is not on the server: its insert is in the outbox, or in an undecided rejected change. */
export const WAITING_ROWS_SQL = `select id from hf_local_files f
 where state = 'queued' and (
   f.id in (select json_extract(data, '$.id') from ps_crud where json_extract(data, '$.op') = 'PUT')
   or ${IS_UNDECIDED})`

/** Files whose row may reappear after the user's decision. */
export const UNDECIDED_SQL = `select id from hf_local_files f where ${IS_UNDECIDED}`
