/** Renders a row as a composite literal of its table. */
export function rowLiteral(values: readonly (string | null)[]): string {
  return `(${values.map((value) => (value === null ? '' : `"${value.replaceAll(/["\\]/g, '$&$&')}"`)).join(',')})`
}
