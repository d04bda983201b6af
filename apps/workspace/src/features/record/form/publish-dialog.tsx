import { useRecords } from '@holdfast/react'
import { type JSX, useState } from 'react'
import { Button } from '../../../components/button.tsx'
import { CallFailureText } from '../../../components/call-failure-text.tsx'
import { FormDialog } from '../../../components/form-dialog.tsx'
import { Notice } from '../../../components/notice.tsx'
import { SharedLink } from '../../../components/shared-link.tsx'
import { TextField } from '../../../components/text-field.tsx'
import { showToast } from '../../../components/toast.tsx'
import { useCall } from '../../../hooks/use-call.ts'
import { type FileRules, type Question, questionOf } from '../../../lib/fields/question.ts'
import type { SavedView } from '../../../lib/views/use-views.ts'
import { publishMessages as words, publishRefusals } from '../../../messages/public-form.ts'
import type { AskedField } from './asked-fields.ts'
import { CaptchaChoice, FilesChoice } from './publish-choices.tsx'

interface PublicFormRow {
  readonly id: string
  readonly slug: string
  readonly is_open: number
  readonly submissions: number
  readonly definition: string
}

const SQL = 'select id, slug, is_open, submissions, definition from hf_public_forms where view_id = ?'

/** Publishes a form for visitors without an account, and shows its link. */
export function PublishDialog(props: {
  /** Id of the workspace that the table belongs to. */
  readonly workspace: string
  readonly saved: SavedView
  readonly asked: readonly AskedField[]
  readonly onClose: () => void
}): JSX.Element | null {
  const { rows, isLoading } = useRecords<PublicFormRow>(SQL, [props.saved.id])
  return isLoading ? null : <Publish {...props} published={rows[0]} />
}

function Publish({
  workspace,
  saved,
  asked,
  published,
  onClose,
}: Parameters<typeof PublishDialog>[0] & { readonly published: PublicFormRow | undefined }): JSX.Element {
  const texts = textsOf(published)
  const [title, setTitle] = useState(texts.title ?? saved.name)
  const [intro, setIntro] = useState(texts.intro ?? '')
  const [thanks, setThanks] = useState(texts.thanks ?? words.thanksDefault)
  const [hasCaptcha, setCaptcha] = useState(texts.captcha === true)
  const [files, setFiles] = useState(texts.files)
  const [isMissing, setMissing] = useState(false)
  const publish = useCall(publishRefusals)
  const close = useCall(publishRefusals)
  const questions = asked.flatMap(({ field, isRequired }): Question[] => {
    const question = questionOf(field, isRequired, files)
    return question ? [question] : []
  })
  const leftOut = asked.filter(({ field }) => questions.every((one) => one.field !== field.name))
  const isOpen = published?.is_open === 1
  const send = async (): Promise<void> => {
    setMissing(title.trim() === '')
    if (title.trim() === '' || questions.length === 0) return
    const definition = {
      title: title.trim(),
      intro: intro.trim(),
      thanks: thanks.trim(),
      questions,
      ...(hasCaptcha && { captcha: true }),
    }
    const args = { workspace, view: saved.id, table_name: saved.table, definition }
    if ((await publish.run('publish_form', args)) && published) showToast({ text: words.updated })
  }
  const stop = async (): Promise<void> => {
    if (published && (await close.run('close_form', { form: published.id }))) showToast({ text: words.closed })
  }
  return (
    <FormDialog
      title={words.title}
      submitLabel={published ? words.update : words.publish}
      closeLabel={words.done}
      isPending={publish.isPending}
      onSubmit={send}
      onClose={onClose}
    >
      <p className="text-muted">{words.lead}</p>
      {published && isOpen ? (
        <>
          <SharedLink address={`${location.origin}/f/${published.slug}`} title={title} />
          <div className="flex flex-wrap items-center justify-between gap-2">
            <p role="status">{words.answers(published.submissions)}</p>
            <Button tone="danger" size="sm" isPending={close.isPending} onPress={() => void stop()}>
              {words.close}
            </Button>
          </div>
        </>
      ) : null}
      {published && !isOpen ? <Notice tone="warning" title={words.closedNote} /> : null}
      <TextField
        label={words.name}
        name="title"
        value={title}
        maxLength={120}
        onChange={setTitle}
        errorMessage={isMissing ? words.nameMissing : undefined}
      />
      <TextField label={words.intro} name="intro" rows={2} value={intro} maxLength={2_000} onChange={setIntro} />
      <TextField label={words.thanks} name="thanks" rows={2} value={thanks} maxLength={500} onChange={setThanks} />
      {questions.some(takesFiles) ? <FilesChoice files={files} onChange={setFiles} /> : null}
      <CaptchaChoice isSelected={hasCaptcha} onChange={setCaptcha} />
      {leftOut.length > 0 ? (
        <p className="text-small text-muted">{words.leftOut(leftOut.map(({ field }) => field.label).join(', '))}</p>
      ) : null}
      {questions.length === 0 ? <p className="text-small text-danger">{words.none}</p> : null}
      <CallFailureText failure={publish.failure ?? close.failure} />
    </FormDialog>
  )
}

function takesFiles({ kind, isSignature }: Question): boolean {
  return kind === 'files' && isSignature !== true
}

interface Texts {
  readonly title?: string
  readonly intro?: string
  readonly thanks?: string
  readonly captcha?: boolean
  /** What questions for files take. */
  readonly files: FileRules
}

function textsOf(published: PublicFormRow | undefined): Texts {
  if (published === undefined) return { files: FILES_DEFAULT }
  const definition = JSON.parse(published.definition) as Omit<Texts, 'files'> & {
    readonly questions?: readonly Question[]
  }
  const files = definition.questions?.find(takesFiles)?.files ?? FILES_DEFAULT
  return { ...definition, files }
}

const FILES_DEFAULT: FileRules = { max: 5, megabytes: 10, kinds: 'any' }
