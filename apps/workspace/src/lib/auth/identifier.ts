/** Email or phone number entered by the user. */
export type Identifier = { readonly email: string } | { readonly phone: string }

/** Treats digits, optionally with `+`, spaces, dots, hyphens and brackets, as a phone number, anything else as an email. */
export function parseIdentifier(text: string): Identifier {
  const trimmed = text.trim()
  if (!/^\+?[\d\s().-]{6,}$/.test(trimmed)) return { email: trimmed }
  return { phone: `+${trimmed.replaceAll(/\D/g, '').replace(/^00/, '')}` }
}

/** Returns the entered email for the next screen; `undefined` for anything else. */
export function emailOf(text: string): string | undefined {
  const identifier = parseIdentifier(text)
  return 'email' in identifier && identifier.email.includes('@') ? identifier.email : undefined
}

/** Why a text is not a valid email: `missing`, or `incomplete`. */
export type AddressProblem = 'missing' | 'incomplete'

export function findEmailProblem(text: string): AddressProblem | undefined {
  const address = text.trim()
  if (address === '') return 'missing'
  return /^\S+@\S+$/.test(address) ? undefined : 'incomplete'
}

/** The same for a text that may also be a phone number. */
export function findIdentifierProblem(text: string): AddressProblem | undefined {
  return 'phone' in parseIdentifier(text) ? undefined : findEmailProblem(text)
}
