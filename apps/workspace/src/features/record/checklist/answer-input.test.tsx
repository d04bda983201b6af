// @vitest-environment happy-dom
import { act } from 'react'
import { beforeEach, expect, test } from 'vitest'
import { renderedForEach } from '../../../lib/rendered.test-support.ts'
import type { Question } from '../../../lib/checklists/questions.ts'
import { typedValue } from '../../../lib/checklists/typed-value.ts'
import type { FieldValue } from '../../../lib/fields/field.ts'
import { AnswerInput } from './answer-input.tsx'

const QUESTION: Question = {
  id: 'q',
  prompt: 'Vibration',
  kind: 'reading',
  section: undefined,
  isRequired: true,
  unit: 'mm/s',
  min: 0,
  max: 4,
  choices: [],
  findingWhen: undefined,
  help: undefined,
}
const taken: FieldValue[] = []
const rendered = renderedForEach()

beforeEach(() => {
  taken.length = 0
})

function show(question: Question, raw: FieldValue | undefined, last?: FieldValue, isReadOnly = false): void {
  const typed = typedValue(question, raw)
  act(() =>
    rendered.root.render(
      <AnswerInput
        {...{ question, raw, typed, last, isReadOnly }}
        onChange={(value) => taken.push(value)}
        onEnter={() => taken.push('entered')}
      />,
    ),
  )
}

const status = (): string => rendered.place.querySelector('[role=status]')?.textContent ?? ''
const press = (element: Element | null | undefined): void => act(() => (element as HTMLElement).click())

test('a reading says on which side of its good range it lies, and nothing inside of it', () => {
  show(QUESTION, '4.2')
  expect(status()).toBe('▲ Above the limit of 4')
  show(QUESTION, '-1')
  expect(status()).toBe('▲ Below the limit of 0')
  show(QUESTION, '4')
  expect(status()).toBe('')
  expect(rendered.place.textContent).toContain('Between 0 and 4 mm/s')
})

test('what is no number is said in the field', () => {
  show(QUESTION, '4,2,1')
  expect(status()).toBe('Enter a number')
  expect(rendered.place.querySelector('input')?.getAttribute('aria-invalid')).toBe('true')
})

test('a key changes the sign of a reading, which the keys of a phone cannot', () => {
  const key = (): Element | null => rendered.place.querySelector('[aria-label="Change the sign of Vibration"]')
  for (const raw of [undefined, '4.2', '-4.2', '\u22124.2', '+3']) {
    show(QUESTION, raw)
    press(key())
  }
  expect(taken).toEqual(['-', '-4.2', '4.2', '4.2', '-3'])
  expect(document.activeElement).toBe(rendered.place.querySelector('input'))
  show(QUESTION, '4', undefined, true)
  expect(key()).toBeNull()
})

test('the last value stands beside the field, and a press takes it', () => {
  show(QUESTION, undefined, 3.9)
  const last = rendered.place.querySelector('[aria-label^="Use the last value"]')
  expect(last?.textContent).toBe('Last: 3.9 mm/s')
  press(last)
  expect(taken).toEqual(['3.9'])
})

test('yes, no and not applicable are three answers', () => {
  const yesNo: Question = { ...QUESTION, kind: 'yes_no' }
  show(yesNo, 0)
  const radios = [...rendered.place.querySelectorAll<HTMLInputElement>('input[type=radio]')]
  expect(radios.map(({ checked }) => checked)).toEqual([false, true, false])
  for (const radio of [radios[0], radios[2]]) press(radio)
  expect(taken).toEqual([1, null])
})

test('an answer that may not be changed is not', () => {
  show({ ...QUESTION, kind: 'choice', choices: ['Good', 'Worn'] }, 'Good', undefined, true)
  press(rendered.place.querySelectorAll('input[type=radio]')[1])
  expect(taken).toEqual([])
})
