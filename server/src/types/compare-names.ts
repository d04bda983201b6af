const collator = new Intl.Collator('en')

/** The order of names in written types, the same on every machine. */
export function compareNames(one: string, other: string): number {
  return collator.compare(one, other)
}
