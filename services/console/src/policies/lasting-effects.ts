import type { SqlError } from '@holdfast/protocol'

/** Calls that act at once and outlive a rollback. `net.http_get` and its like only write into a table. */
const CALLS =
  /(?<!\bnet\s*\.\s*)\b(setval|dblink\w*|http(?:_\w+)?|pg_(?:terminate|cancel)_backend|pg_reload_conf|pg_switch_wal|pg_logical_emit_message|pg_(?:create|drop)_\w*slot|pg_stat_reset\w*|pg_file_\w+|lo_export)\s*\(/i

/** `COPY … TO` a file or program of the database's machine. */
const COPY = /\bcopy\b[^;]*?\bto\s+(?:program\b|e?')/i

/** Returns what in a text a rollback does not undo, also inside functions and blocks; `undefined` if nothing is found. */
export function refuseLastingEffects(text: string): SqlError | undefined {
  const call = CALLS.exec(text)
  const found = call ?? COPY.exec(text)
  if (!found) return undefined
  const name = call ? `${call[1]?.toLowerCase() ?? ''}()` : 'COPY to a file or program'
  const line = text.slice(0, found.index).split('\n').length
  return {
    message: `Line ${line}: a rollback does not undo ${name}. Take it out for the preview.`,
    code: '25001',
    position: found.index + 1,
  }
}
