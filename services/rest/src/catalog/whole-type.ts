/** Types that cut a value which is longer than one character without a length, and the types that take it whole. */
const WITHOUT_LENGTH: Readonly<Record<string, string>> = {
  bit: 'bit varying',
  'bit[]': 'bit varying[]',
  character: 'character varying',
  'character[]': 'character varying[]',
}

/** A type that takes the values of `type` whole. @param type - without modifiers */
export function wholeType(type: string): string {
  return WITHOUT_LENGTH[type] ?? type
}
