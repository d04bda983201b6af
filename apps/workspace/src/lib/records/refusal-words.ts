import type { WriteRefusal } from '@holdfast/client'
import { rightMessages as words } from '../../messages/rights.ts'

/** Why a write is refused, and who could: in the words of the policy where its author gave it any. */
export function refusalWords(refusal: WriteRefusal): string {
  if (refusal.reason === 'grant') return words.notGranted
  const { policies, reason } = refusal
  const said = policies.map((policy) => policy.words).filter((text) => text !== undefined)
  if (said.length === policies.length && said.length > 0) return said.join(' ')
  const names = policies.map(({ name }) => name)
  if (reason === 'restriction') return words.forbidden(names)
  return names.length === 0 ? words.nobody : words.others(names)
}
