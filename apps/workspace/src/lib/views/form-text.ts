/** A field that a form asks for. */
export interface FormItem {
  readonly field: string
  readonly isRequired: boolean
  /** In place of the field's own; `''`: the field's. */
  readonly label: string
  readonly help: string
}

/** Fields of one form. */
export const FORM_FIELDS_MAX = 60

/**
 * Writes the fields of a form in their order, as the settings of views are written: `title.required.What happened?,site_id`.
 * The signs of this form inside a text have a `!` before them.
 */
export function renderForm(items: readonly FormItem[]): string {
  return items
    .map(({ field, isRequired, label, help }) => {
      const parts = [field, isRequired ? 'required' : '', label, help]
      return parts
        .slice(0, parts.findLastIndex((part) => part !== '') + 1)
        .map(escape)
        .join('.')
    })
    .join(',')
}

/** Reads {@link renderForm}'s form; what has no field's name is left out, and a field that comes twice is asked for once. */
export function parseForm(text: string | undefined): readonly FormItem[] {
  const items = new Map<string, FormItem>()
  for (const parts of split(text ?? '')) {
    const [field = '', required = '', label = '', help = ''] = parts
    if (field === '' || items.has(field) || items.size === FORM_FIELDS_MAX) continue
    items.set(field, { field, isRequired: required === 'required', label, help })
  }
  return [...items.values()]
}

function escape(text: string): string {
  return text.replace(/[!.,]/g, (sign) => `!${sign}`)
}

/** Items between commas, and the parts of each between points. */
function split(text: string): readonly (readonly string[])[] {
  const items: string[][] = [['']]
  for (let at = 0; at < text.length; at++) {
    const letter = text[at] ?? ''
    const item = items.at(-1)
    if (letter === ',') items.push([''])
    else if (letter === '.') item?.push('')
    else item?.push((item.pop() ?? '') + (letter === '!' ? (text[++at] ?? '') : letter))
  }
  return items
}
