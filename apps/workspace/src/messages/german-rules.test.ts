import { expect, test } from 'vitest'
import { rightMessages } from './de/rights.ts'

test.each([
  ['Reason is required when State is Blocked.', 'Reason ist Pflicht, wenn State Blocked ist.'],
  [
    'Grund is required when Stand is offen or blockiert and Ursache is empty and Dringend is yes.',
    'Grund ist Pflicht, wenn Stand offen oder blockiert ist und Ursache leer ist und Dringend Ja ist.',
  ],
  ['Grund is required when Stand is not fertig.', 'Grund ist Pflicht, wenn Stand nicht fertig ist.'],
  ['Not everyone sets Stand to Fertig.', 'Nicht alle dürfen Stand auf „Fertig“ setzen.'],
  ['Stand goes from Offen to Blockiert or Fertig.', 'Stand: Auf „Offen“ folgt Blockiert oder Fertig.'],
  ['Stand of a new record is Offen.', 'Stand beginnt mit Offen.'],
  ['Editors change the records assigned to them.', 'Bearbeitende ändern ihnen zugewiesene Einträge.'],
  [
    'Members see these records under the conditions of the rule.',
    'Mitglieder sehen diese Einträge, soweit die Bedingungen der Regel gelten.',
  ],
  ['Ein Satz des Projekts.', 'Ein Satz des Projekts.'],
])('%s', (sentence, german) => {
  expect(rightMessages.said?.(sentence)).toBe(german)
})
