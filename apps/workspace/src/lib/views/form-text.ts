/** A field of a form. */
export interface FormItem {
  readonly field: string
  readonly isRequired: boolean
  /** Overrides the field's label; `''` keeps it. */
  readonly label: string
  readonly help: string
}

/** Fields per form. */
export const FORM_FIELDS_MAX = 60

/** Serializes a form's fields for view settings: `title.required.What happened?,site_id`. Special characters in texts are escaped with `!`. */
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

/** Parses {@link renderForm}'s format; drops items without a field name and duplicates. */
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

/** Splits items at commas, and their parts at periods. */
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
