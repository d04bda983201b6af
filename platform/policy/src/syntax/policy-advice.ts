/** Advice for policies that change without a database change. */

export const INSTEAD_OF_CLOCK =
  'compare with a column instead, such as a boolean that a scheduled job sets when the moment has come; a filter by date alone can also be a query on the device'

export const INSTEAD_OF_SETTING =
  "read a claim of the token instead (auth.jwt() ->> '…', or current_setting('request.jwt.claims', true)::jsonb), or a table with the person's own row"

export const INSTEAD_OF_SESSION =
  "fix what it depends on: (at at time zone 'UTC')::date, or the same type on both sides (date with date, timestamptz with timestamptz)"
