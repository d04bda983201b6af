import type { WriteRefusal } from '@holdfast/client'
import { rightMessages as words } from '../../messages/rights.ts'
import type { FieldValue } from '../fields/field.ts'
import { choiceWords } from '../fields/format-value.ts'

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

/** Which choices of a field are missing from its list, and why; the one that is set stays in it. `undefined`: none is missing. */
export function notOfferedWords(
  value: FieldValue,
  refusedChoices: ReadonlyMap<string, WriteRefusal> | undefined,
): string | undefined {
  const refused = [...(refusedChoices ?? [])].filter(([choice]) => choice !== value)
  if (refused.length === 0) return undefined
  const byReason = Map.groupBy(refused, ([, refusal]) => refusalWords(refusal))
  return [...byReason]
    .map(([reason, list]) =>
      words.notOffered(
        list.map(([choice]) => choiceWords(choice)),
        reason,
      ),
    )
    .join(' ')
}
