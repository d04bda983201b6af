import type { LogEntry } from '@holdfast/protocol'

/** Services whose messages quote texts of users: values of rows, or what a function prints. */
const QUOTING: ReadonlySet<string> = new Set(['functions', 'postgres'])

const HIDDEN = 'Shown to developers only.'

/** Hides what viewers may not see: messages that quote users, network addresses, names of files, and values of fields. */
export function maskEntry(entry: LogEntry): LogEntry {
  const { request, fields, ...others } = entry
  const isQuoting = request !== undefined || QUOTING.has(entry.service)
  return {
    ...others,
    message: isQuoting && entry.message !== '' ? HIDDEN : entry.message,
    ...(request && { request: { ...request, path: maskPath(request.path), address: '•••' } }),
    ...(fields && { fields: Object.fromEntries(Object.keys(fields).map((name) => [name, '•••'])) }),
  }
}

/** Segments of a path that the API names: `/storage/v1/object/<bucket>`, `/functions/v1/<name>`. */
const NAMED_SEGMENTS: Readonly<Record<string, number>> = { storage: 5, functions: 4 }

/** Names of files, and what follows a function's name, may be personal. */
function maskPath(path: string): string {
  const segments = path.split('/')
  const named = NAMED_SEGMENTS[segments[1] ?? ''] ?? segments.length
  return segments.length <= named ? path : [...segments.slice(0, named), '•••'].join('/')
}
