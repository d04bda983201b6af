import { parseIdentifier } from './identifier.ts'

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
