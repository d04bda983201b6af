/** With a full stop; a rule's code, which is for programs, is left to the details. */
export function asSentence(text: string): string {
  if (/^[\w.:-]+$/.test(text)) return ''
  return /[.!?…]$/.test(text) ? text : `${text}.`
}
