import { expect, test } from 'vitest'
import type { Question } from '../../lib/fields/question.ts'
import { readAnswer } from './read-answer.ts'

const question = (field: string, kind: Question['kind'], isRequired = false): Question => ({
  field,
  label: field,
  help: '',
  kind,
  isRequired,
  choices: [],
})

test('numbers are read as they are written in the language of the page', () => {
  const questions = [question('count', 'integer'), question('depth', 'number')]
  expect(readAnswer(questions, { count: '1,200', depth: '3.5' }, 'en-GB')).toEqual({
    kind: 'values',
    values: { count: '1200', depth: '3.5' },
  })
  expect(readAnswer(questions, { depth: '3,5' }, 'de-DE')).toEqual({ kind: 'values', values: { depth: '3.5' } })
  expect(readAnswer(questions, { count: '1.5', depth: 'deep' }, 'en-GB')).toEqual({
    kind: 'problems',
    problems: { count: 'Enter a whole number', depth: 'Enter a number' },
  })
})

test('empty answers are left out, and required ones are asked for', () => {
  const questions = [question('name', 'text', true), question('agreed', 'boolean', true), question('note', 'long_text')]
  expect(readAnswer(questions, { name: '  ', agreed: false, note: '' }, 'en-GB')).toEqual({
    kind: 'problems',
    problems: { name: 'Fill in this field', agreed: 'Fill in this field' },
  })
  expect(readAnswer(questions, { name: ' Ada ', agreed: true, note: ' ' }, 'en-GB')).toEqual({
    kind: 'values',
    values: { name: 'Ada', agreed: true },
  })
})

test('durations and places are read as in the app', () => {
  const minutes = { ...question('took', 'duration'), unit: 'minutes' as const }
  const questions = [minutes, question('at', 'location')]
  expect(readAnswer(questions, { took: '1:30', at: '52.52, 13.405' }, 'en-GB')).toEqual({
    kind: 'values',
    values: { took: '90', at: '(13.405,52.52)' },
  })
  expect(readAnswer(questions, { took: 'long', at: 'here' }, 'en-GB')).toEqual({
    kind: 'problems',
    problems: {
      took: 'Enter hours and minutes, such as 1:30 or 90 min',
      at: 'Enter latitude and longitude, such as 52.52, 13.405',
    },
  })
})

test('a time is the one at the place of the visitor', () => {
  const read = readAnswer([question('at', 'datetime')], { at: '2026-03-01T08:30' }, 'en-GB')
  expect(read).toEqual({ kind: 'values', values: { at: new Date(2026, 2, 1, 8, 30).toISOString() } })
})
