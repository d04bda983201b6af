import { useParams } from '@tanstack/react-router'
import { type JSX, useCallback, useEffect, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { EntryPage } from '../../components/entry-page.tsx'
import { Notice } from '../../components/notice.tsx'
import { Progress } from '../../components/progress.tsx'
import { lateContent } from '../../components/late-content.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { useOnline } from '../../hooks/use-online.ts'
import { publicFormMessages as words } from '../../messages/public-form.ts'
import type { ChosenFile } from './files-input.tsx'
import { type Begun, QuestionForm } from './question-form.tsx'
import { type Answers, useAnswers } from './use-answers.ts'
import {
  type Answer,
  fetchForm,
  type Fetched,
  type PublicForm,
  readStoredForm,
  WAITING_MAX,
} from './visitor-answers.ts'
import { keepFile, readFile } from './waiting-files.ts'

/** Loaded for forms that a provider checks. */
const { Content: CaptchaFrame } = lateContent(
  async () => (await import('../../components/captcha/captcha-frame.tsx')).CaptchaFrame,
)

type Seen = Fetched | { readonly kind: 'loading' }

/** A form that anybody with the link fills in. Once opened it works without a network: answers wait on the device. */
export function PublicFormScreen(): JSX.Element {
  const { slug = '' } = useParams({ strict: false })
  const isOnline = useOnline()
  const [seen, setSeen] = useState<Seen>(() => {
    const form = readStoredForm(slug)
    return form ? { kind: 'form', form } : isOnline ? { kind: 'loading' } : { kind: 'failed' }
  })
  const load = useCallback(
    (): Promise<void> =>
      fetchForm(slug).then((fetched) =>
        // The stored form stays while the server is unreachable.
        setSeen((before) => (fetched.kind === 'failed' && before.kind === 'form' ? before : fetched)),
      ),
    [slug],
  )
  // The network is outside React.
  useEffect(() => {
    if (isOnline) void load()
  }, [load, isOnline])
  if (seen.kind === 'loading')
    return (
      <EntryPage project="" title={words.loading}>
        <Skeleton rows={4} />
      </EntryPage>
    )
  if (seen.kind === 'gone')
    return (
      <EntryPage project="" title={words.gone}>
        <p>{words.goneDetail}</p>
      </EntryPage>
    )
  if (seen.kind === 'failed')
    return (
      <EntryPage project="" title={words.failed}>
        <p>{words.failedDetail}</p>
        <Button onPress={() => void load()}>{words.tryAgain}</Button>
      </EntryPage>
    )
  return <OpenedForm slug={slug} form={seen.form} onOutdated={() => void load()} />
}

function OpenedForm({
  slug,
  form,
  onOutdated,
}: {
  readonly slug: string
  readonly form: PublicForm
  /** The server has another form than this device. */
  readonly onOutdated: () => void
}): JSX.Element {
  const answers = useAnswers(slug, form.captcha, onOutdated)
  /** Id of the answer given last. */
  const [answered, setAnswered] = useState<string>()
  const [isLost, setLost] = useState(false)
  const [edited, setEdited] = useState<Begun>()
  const edit = async (answer: Answer): Promise<void> => {
    setEdited({ answer, chosen: await chosenOf(answer) })
    setAnswered(undefined)
  }
  const isWaiting = answers.waiting.some(({ id }) => id === answered)
  const isRefused = answers.refused.some(({ id }) => id === answered)
  const isFull = answers.waiting.length >= WAITING_MAX
  return (
    <EntryPage
      project={form.workspace}
      title={form.title}
      lead={form.intro === '' ? undefined : <span className="whitespace-pre-line">{form.intro}</span>}
      notice={
        <>
          <Unsent answers={answers} onEdit={(answer) => void edit(answer)} />
          <Check captcha={form.captcha} answers={answers} />
        </>
      }
    >
      {!form.isOpen ? (
        <p role="status">
          {words.closed}. {words.closedDetail}
        </p>
      ) : answered !== undefined && !isRefused ? (
        <>
          <Notice tone="success" role="status" title={isWaiting ? words.stored : words.sent}>
            {isWaiting ? (form.captcha === null ? words.storedDetail : words.storedUnchecked) : form.thanks}
          </Notice>
          <Button onPress={() => setAnswered(undefined)}>{words.another}</Button>
        </>
      ) : isFull ? (
        <p role="status">{words.waitingLong(answers.waiting.length)}</p>
      ) : (
        <>
          {answers.hasSent && answers.waiting.length === 0 && answered === undefined ? (
            <Notice tone="success" role="status" title={words.sent} />
          ) : null}
          {isLost ? <Notice tone="danger" role="alert" title={words.notStored} /> : null}
          <QuestionForm
            key={edited?.answer.id ?? ''}
            form={form}
            begun={edited}
            onSend={async (answer, chosen) => {
              const isKept = (await keepFiles(chosen)) && (await answers.add(answer))
              setLost(!isKept)
              if (!isKept) return
              setEdited(undefined)
              setAnswered(answer.id)
            }}
          />
        </>
      )}
    </EntryPage>
  )
}

/** @returns whether the files can be sent: from the page itself or, without a network, from what the browser stores */
async function keepFiles(chosen: readonly ChosenFile[]): Promise<boolean> {
  const kept = await Promise.all(chosen.map(({ id, bytes }) => keepFile(id, bytes)))
  return navigator.onLine || kept.every(Boolean)
}

/** The files of a refused answer that this browser still has. */
async function chosenOf({ files = [] }: Answer): Promise<Begun['chosen']> {
  const chosen: Record<string, ChosenFile[]> = {}
  for (const { id, field, name, type } of files) {
    const bytes = await readFile(id)
    if (bytes) (chosen[field] ??= []).push({ id, name, type, bytes })
  }
  return chosen
}

/** Shows the provider's captcha while it is what the oldest answer waits for. */
function Check({
  captcha,
  answers: { waiting, isSending, checks, pass },
}: {
  readonly captcha: PublicForm['captcha']
  readonly answers: Answers
}): JSX.Element | null {
  const isOnline = useOnline()
  if (captcha === null || waiting.length === 0 || !isOnline) return null
  if (captcha === 'work') return isSecureContext ? null : <Notice tone="warning" title={words.insecure} />
  if (isSending) return null
  return (
    <section aria-label={words.check} className="flex flex-col gap-2">
      <p className="font-medium">{words.check}</p>
      <CaptchaFrame key={checks} onPass={pass} />
    </section>
  )
}

/** Tells about answers that the server does not have. */
function Unsent({
  answers: { waiting, refused, progress, remove },
  onEdit,
}: {
  readonly answers: Answers
  readonly onEdit: (answer: Answer) => void
}): JSX.Element | null {
  if (waiting.length === 0 && refused.length === 0) return null
  return (
    <>
      {waiting.length > 0 ? <Notice tone="warning" role="status" title={words.waiting(waiting.length)} /> : null}
      {progress ? (
        <Progress
          label={words.sendingFiles}
          value={progress.sent}
          total={progress.total}
          valueText={words.bytesSent(progress.sent, progress.total)}
        />
      ) : null}
      {refused.map((answer) => (
        <Notice
          key={answer.id}
          tone="danger"
          role="status"
          title={words.refused}
          actions={
            <>
              <Button size="sm" onPress={() => onEdit(answer)}>
                {words.edit}
              </Button>
              <Button size="sm" onPress={() => remove(answer.id)}>
                {words.discard}
              </Button>
            </>
          }
        >
          {answer.refusal}
        </Notice>
      ))}
    </>
  )
}
