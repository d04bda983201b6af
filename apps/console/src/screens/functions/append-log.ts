import type { FunctionLog } from '@holdfast/protocol'

/** Lines kept in the page. */
const LINES_MAX = 1_000

/** Appends new lines to those of the page. After a restart of the server, the page starts over with what that has. */
export function appendLog(kept: FunctionLog | undefined, page: FunctionLog): FunctionLog {
  if (!kept || serverOf(kept) !== serverOf(page)) return page
  return { lines: [...kept.lines, ...page.lines].slice(-LINES_MAX), cursor: page.cursor }
}

function serverOf({ cursor }: FunctionLog): string | undefined {
  return cursor.split('.')[0]
}
