import { HISTORY_TEXT_BYTES_MAX } from '../limits.ts'

/** The literal after PASSWORD, as in `alter role … password '…'`. */
const PASSWORD_LITERAL = /\b(password\s+)(?:e|u&)?(?:'(?:[^'\\]|\\.|'')*'|\$(\w*)\$.*?\$\2\$)/gis

/** Returns a text as the audit log keeps it: without the passwords of roles, and cut if it is long. */
export function auditedText(text: string): { readonly text: string; readonly isCut?: true } {
  const shown = text.replace(PASSWORD_LITERAL, "$1'…'").toWellFormed()
  if (bytesOf(shown) <= HISTORY_TEXT_BYTES_MAX) return { text: shown }
  let cut = shown.slice(0, HISTORY_TEXT_BYTES_MAX)
  while (bytesOf(cut) > HISTORY_TEXT_BYTES_MAX) cut = cut.slice(0, Math.floor(cut.length * 0.8))
  return { text: cut.toWellFormed(), isCut: true }
}

function bytesOf(text: string): number {
  return Buffer.byteLength(JSON.stringify(text))
}
