const LONG = /(^|_)(detail|details|description|notes?|body|comment|comments|remark|remarks|reason|text|instructions)$/

/** Returns whether a text column is multi-line, judging by its name: it gets a multi-line editor and, unless a migration overrides it, is merged by lines. */
export function isLongText(column: string): boolean {
  return LONG.test(column)
}
