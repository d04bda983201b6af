/** A row as the text of a composite value, which Postgres reads with the types of its table. */
export function rowLiteral(values: readonly (string | null)[]): string {
  return `(${values.map((value) => (value === null ? '' : `"${value.replaceAll(/["\\]/g, '$&$&')}"`)).join(',')})`
}
