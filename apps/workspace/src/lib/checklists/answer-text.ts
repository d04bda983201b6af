import { choiceWords } from '../fields/format-value.ts'
import { printMessages } from '../../messages/print.ts'
import type { StoredAnswer } from './answer-changes.ts'
import type { Question } from './questions.ts'
import { answerWords } from './typed-value.ts'

/** An answer as text. Pictures are printed below it. */
export function answerText(question: Question, answer: StoredAnswer | undefined, hasPictures: boolean): string {
  const { kind } = question
  const value = answer?.value ?? null
  if (kind === 'photo' && hasPictures) return ''
  if (!answer || value === '' || (value === null && kind !== 'yes_no')) return hasPictures ? '' : printMessages.noAnswer
  return kind === 'choice' ? choiceWords(String(value)) : answerWords(question, value)
}
