const collator = new Intl.Collator('en')

/** Compares names for generated types, independently of the machine's locale. */
export function compareNames(one: string, other: string): number {
  return collator.compare(one, other)
}
