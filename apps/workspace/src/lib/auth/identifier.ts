/** What a person typed to say who they are. */
export type Identifier = { readonly email: string } | { readonly phone: string }

/** A text of digits, perhaps with `+`, spaces, dots, hyphens and brackets, is a phone number; anything else an e-mail. */
export function parseIdentifier(text: string): Identifier {
  const trimmed = text.trim()
  if (!/^\+?[\d\s().-]{6,}$/.test(trimmed)) return { email: trimmed }
  return { phone: `+${trimmed.replaceAll(/\D/g, '').replace(/^00/, '')}` }
}

/** An e-mail that was typed, for the next screen, so that it is not asked for again; `undefined` for anything else. */
export function emailOf(text: string): string | undefined {
  const identifier = parseIdentifier(text)
  return 'email' in identifier && identifier.email.includes('@') ? identifier.email : undefined
}

/** Why a text cannot be the address of a person: `missing`, or `incomplete` for half an e-mail address. */
export type AddressProblem = 'missing' | 'incomplete'

export function findEmailProblem(text: string): AddressProblem | undefined {
  const address = text.trim()
  if (address === '') return 'missing'
  return /^\S+@\S+$/.test(address) ? undefined : 'incomplete'
}

/** The same for a text that may be a phone number as well. */
export function findIdentifierProblem(text: string): AddressProblem | undefined {
  return 'phone' in parseIdentifier(text) ? undefined : findEmailProblem(text)
}
