/** Types that truncate to one character without a length, and their types without truncation. */
const WITHOUT_LENGTH: Readonly<Record<string, string>> = {
  bit: 'bit varying',
  'bit[]': 'bit varying[]',
  character: 'character varying',
  'character[]': 'character varying[]',
}

/** Returns a type that holds values of `type` without truncation. @param type - without modifiers */
export function wholeType(type: string): string {
  return WITHOUT_LENGTH[type] ?? type
}
