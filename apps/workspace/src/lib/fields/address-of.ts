import type { Field, FieldValue } from './field.ts'

/** Returns the address that a value opens: a page, a mail or a call. Undefined for other values. */
export function addressOf({ kind }: Pick<Field, 'kind'>, value: FieldValue): string | undefined {
  const text = String(value ?? '').trim()
  if (text === '') return undefined
  switch (kind) {
    case 'url':
      return /^https?:\/\/\S+$/i.test(text) ? text : undefined
    case 'email':
      return /^[^\s@?&]+@[^\s@?&]+$/.test(text) ? `mailto:${text}` : undefined
    case 'phone': {
      const digits = text.replace(/[\s()/.-]/g, '')
      return /^\+?\d{3,15}$/.test(digits) ? `tel:${digits}` : undefined
    }
    default:
      return undefined
  }
}
