import { type JSX, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { lateContent } from '../../components/late-content.tsx'
import type { Question } from '../../lib/fields/question.ts'
import { uuidV7 } from '../../lib/fields/uuid-v7.ts'
import { pageLocale } from '../../lib/language.ts'
import { publicFormMessages as words } from '../../messages/public-form.ts'
import type { ChosenFile } from './files-input.tsx'
import { QuestionInput } from './question-input.tsx'
import { type Entered, formatterOfQuestion, readAnswer } from './read-answer.ts'
import type { Answer, AnswerFile, PublicForm } from './visitor-answers.ts'

/** Loaded for forms that ask for files. */
const { Content: FilesInput } = lateContent(async () => (await import('./files-input.tsx')).FilesInput)

/** Files by field. */
type Chosen = Readonly<Record<string, readonly ChosenFile[]>>

/** An answer that was refused, with its files. */
export interface Begun {
  readonly answer: Answer
  readonly chosen: Chosen
}

/** The questions of a form, one below the other. */
export function QuestionForm({
  form: { questions },
  begun,
  onSend,
}: {
  readonly form: PublicForm
  readonly begun: Begun | undefined
  readonly onSend: (answer: Answer, chosen: readonly ChosenFile[]) => Promise<void>
}): JSX.Element {
  const [entered, setEntered] = useState<Entered>(() => enteredOf(questions, begun?.answer))
  const [chosen, setChosen] = useState<Chosen>(begun?.chosen ?? {})
  const [problems, setProblems] = useState<Readonly<Record<string, string>>>({})
  const [isSending, setSending] = useState(false)
  const send = async (): Promise<void> => {
    const counted = new Map(Object.entries(chosen).map(([field, files]) => [field, files.length]))
    const read = readAnswer(questions, entered, pageLocale(), counted)
    setProblems(read.kind === 'problems' ? read.problems : {})
    if (read.kind === 'problems' || isSending) return
    setSending(true)
    const files = Object.entries(chosen).flatMap(([field, all]) => all.map((file) => toAnswerFile(field, file)))
    const answer = { id: begun?.answer.id ?? uuidV7(), values: read.values, ...(files.length > 0 && { files }) }
    await onSend(answer, Object.values(chosen).flat())
    setSending(false)
  }
  return (
    <form
      noValidate
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault()
        void send()
      }}
    >
      {questions.map((question) => {
        const { field, kind } = question
        const problem = problems[field]
        return kind === 'files' ? (
          <FilesInput
            key={field}
            {...{ question, problem }}
            chosen={chosen[field] ?? []}
            onChange={(files) => setChosen((before) => ({ ...before, [field]: files }))}
          />
        ) : (
          <QuestionInput
            key={field}
            {...{ question, problem }}
            value={entered[field]}
            onChange={(value) => setEntered((before) => ({ ...before, [field]: value }))}
          />
        )
      })}
      <Button type="submit" tone="primary" isFullWidth isPending={isSending}>
        {words.send}
      </Button>
    </form>
  )
}

function toAnswerFile(field: string, { id, name, type, bytes }: ChosenFile): AnswerFile {
  return { id, field, name, type, size: bytes.size }
}

function enteredOf(questions: readonly Question[], answer: Answer | undefined): Entered {
  const given = Object.entries(answer?.values ?? {}).flatMap(([field, value]) => {
    const question = questions.find((one) => one.field === field)
    const formatter = question && formatterOfQuestion(question)
    if (value === null) return []
    return [[field, formatter ? formatter.edit(String(value), pageLocale()) : value] as const]
  })
  return Object.fromEntries(given)
}
