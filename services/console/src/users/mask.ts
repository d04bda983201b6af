/** Masks an address for viewers: `dana@example.com` becomes `d•••@e•••`. */
export function maskEmail(email: string | null): string | null {
  if (email === null || email === '') return email
  const [local = '', domain = ''] = email.split('@')
  return `${first(local)}•••@${first(domain)}•••`
}

/** Masks each address in a text. */
export function maskEmails(text: string): string {
  return text.replaceAll(/[^\s:/,;]+@[^\s:/,;]+/g, (email) => maskEmail(email) ?? '')
}

/** Masks a phone number: only the last two digits remain. */
export function maskPhone(phone: string | null): string | null {
  return phone === null || phone === '' ? phone : `•••${phone.slice(-2)}`
}

/** Masks a name: only initials remain. */
export function maskName(name: string | null): string | null {
  return name === null
    ? null
    : name
        .split(/\s+/)
        .map((word) => `${first(word)}•`)
        .join(' ')
}

function first(text: string): string {
  return text.slice(0, 1)
}
