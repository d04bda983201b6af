const LONG = /(^|_)(detail|details|description|notes?|body|comment|comments|remark|remarks|reason|text|instructions)$/

/** Whether a text column holds texts of several lines, by its name: it is edited as one, and two versions of it are merged by lines unless a migration says otherwise. */
export function isLongText(column: string): boolean {
  return LONG.test(column)
}
