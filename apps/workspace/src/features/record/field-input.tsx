import { ArrowUpRight } from 'lucide-react'
import type { WriteRefusal } from '@holdfast/client'
import { type JSX, useEffect, useRef, useState } from 'react'
import { lateContent, lateDetail } from '../../components/late-content.tsx'
import { Button } from 'react-aria-components/Button'
import { ChoiceChip } from '../../components/fields/choice-chip.tsx'
import { OptionPicker, type PickerOption } from '../../components/fields/option-picker.tsx'
import { IconButton } from '../../components/icon-button.tsx'
import { Popover, PopoverTrigger } from '../../components/popover.tsx'
import { Select } from '../../components/select.tsx'
import { SignKey } from '../../components/sign-key.tsx'
import { fieldLabelClass, TextField } from '../../components/text-field.tsx'
import { type Field, type FieldValue, offeredChoices } from '../../lib/fields/field.ts'
import { addressOf } from '../../lib/fields/address-of.ts'
import { momentOf } from '../../lib/fields/dates.ts'
import { isEditedInLines, isNumeric } from '../../lib/fields/field-kind.ts'
import { choiceWords, formatValue, toEditText } from '../../lib/fields/format-value.ts'
import { pageLocale } from '../../lib/language.ts'
import type { NotStored } from '../../lib/records/not-stored.ts'
import { notOfferedWords } from '../../lib/records/refusal-words.ts'
import { useLinkOptions } from '../../lib/records/use-link-options.ts'
import { zoneNameAt } from '../../lib/time-zone.ts'
import { fieldMessages as words } from '../../messages/fields.ts'
import type { CommitValue } from './commit-value.ts'
import { AWAY } from './field-text.tsx'
import { useTypedText } from './use-typed-text.ts'

const EMPTY = ''

/** Loaded on demand because conflicts are rare. */
const { Content: TextConflict } = lateContent(
  async () => (await import('../../components/fields/text-conflict.tsx')).TextConflict,
)

/** Inputs of formats, loaded with the first record that has one. */
const { Content: RatingInput } = lateDetail(async () => (await import('./format-input.tsx')).RatingInput)
const { Content: LocateButton } = lateDetail(async () => (await import('./format-input.tsx')).LocateButton)
const { Content: ScanButton } = lateDetail(async () => (await import('./format-input.tsx')).ScanButton)

export interface FieldInputProps {
  readonly field: Field
  readonly value: FieldValue
  /** For links: the title of the target. */
  readonly label: FieldValue | undefined
  /** Sync state of the change, below the help text. */
  readonly note: string | undefined
  /** A problem from outside, such as "needs a value" when a draft is created too early. */
  readonly problem: string | undefined
  readonly isRequired: boolean
  /** Choices that policies refuse for this record, with reasons; not offered. */
  readonly refusedChoices?: ReadonlyMap<string, WriteRefusal> | undefined
  /** @returns why the value was not stored; a text then stays in the field */
  readonly onCommit: CommitValue
  readonly onOpenLink: ((table: string, id: string) => void) | undefined
}

/** Edits one field, with label, help and problem. A valid value is saved on blur. */
export function FieldInput(given: FieldInputProps): JSX.Element {
  const { notStored, onCommit, onForget } = useCommit(given.onCommit)
  const problem = notStored === undefined ? given.problem : notStoredWords(notStored)
  const props: InputProps = { ...given, problem, onCommit, onForget }
  if (props.field.format?.format.kind === 'rating') {
    const { field, value } = props
    return (
      <RatingInput {...{ field, value, problem, onCommit }} label={labelOf(props)} description={descriptionOf(props)} />
    )
  }
  switch (props.field.kind) {
    case 'choice':
      return <ChoiceInput {...props} />
    case 'boolean':
      return <BooleanInput {...props} />
    case 'link':
      return props.field.link ? <LinkInput {...props} /> : <TextInput {...props} />
    default:
      return <TextWithTool {...props} />
  }
}

/** A text with the tool of its format. The text keeps its place when the format arrives, which is loaded late: it may have the focus. */
function TextWithTool(props: InputProps): JSX.Element {
  const tool = toolOf(props)
  return (
    <div className={tool === null ? 'contents' : undefined}>
      <TextInput {...props} />
      {tool}
    </div>
  )
}

function toolOf({ field, onCommit }: InputProps): JSX.Element | null {
  switch (field.format?.format.kind) {
    case 'location':
      return <LocateButton onLocate={(place) => void onCommit(place)} />
    case 'barcode':
      return <ScanButton field={field} onCommit={onCommit} />
    default:
      return null
  }
}

interface InputProps extends FieldInputProps {
  /** Called when the value that was not stored is discarded. */
  readonly onForget: () => void
}

/** Stores values of a field, and remembers why the last one was not stored. */
function useCommit(commit: CommitValue): Pick<InputProps, 'onCommit' | 'onForget'> & {
  readonly notStored: NotStored | undefined
} {
  const [notStored, setNotStored] = useState<NotStored>()
  const isGone = useRef(false)
  useEffect(() => {
    isGone.current = false
    return () => {
      isGone.current = true
    }
  }, [])
  return {
    notStored,
    onForget: () => setNotStored(undefined),
    async onCommit(value) {
      const why = await commit(value)
      // A user who has left cannot see the reason. The text then goes to the server, which keeps it with its answer.
      if (why?.kind === 'refused' && isGone.current) return commit(value, true)
      setNotStored(why)
      return why
    },
  }
}

function notStoredWords(notStored: NotStored): string {
  return notStored.kind === 'full' ? words.notStored : words.notSaved(notStored.words)
}

function AddressLink({ href, text }: { readonly href: string; readonly text: string }): JSX.Element {
  return (
    <a
      href={href}
      {...AWAY}
      aria-label={words.openLink(text)}
      title={words.openLink(text)}
      className="grid size-8 place-items-center rounded-md text-muted hover:bg-hover hover:text-text coarse:size-11 print:hidden"
    >
      <ArrowUpRight size={16} aria-hidden />
    </a>
  )
}

function descriptionOf({ field, note, value }: FieldInputProps): string | undefined {
  const parts = [note, field.help, field.kind === 'datetime' ? zoneWords(field, value) : undefined].filter(
    (part) => part !== undefined,
  )
  return parts.length === 0 ? undefined : parts.join(' · ')
}

/** Names a time's zone if it differs from this device's. */
function zoneWords({ column }: Field, value: FieldValue): string | undefined {
  if (!column.type.includes('with time zone')) return undefined
  const name = zoneNameAt((value === null ? undefined : momentOf(String(value))) ?? new Date(), pageLocale())
  return name === undefined ? undefined : words.zone(name)
}

function labelOf({ field, isRequired }: FieldInputProps): string {
  return isRequired ? `${field.label} (${words.requiredMark})` : field.label
}

function TextInput(props: InputProps): JSX.Element {
  const { field } = props
  const stored = shownText(field, props.value)
  const text = useTypedText(props, stored)
  const isList = field.kind === 'json' && field.column.type.endsWith('[]')
  const inputRef = useRef<HTMLInputElement>(null)
  // Durations are typed with a colon.
  const isDecimal = isNumeric(field.kind) && field.format?.format.kind !== 'duration'
  const address = addressOf(field, props.value)
  const isLong = !isList && isEditedInLines(field.kind, stored)
  const input = (
    <TextField
      label={labelOf(props)}
      description={descriptionOf(props)}
      errorMessage={text.problem ?? props.problem}
      value={text.shown}
      isReadOnly={text.conflict !== undefined}
      type={inputType(field)}
      inputMode={isDecimal ? 'decimal' : 'text'}
      {...(address !== undefined && { trailing: <AddressLink href={address} text={stored} /> })}
      {...(isDecimal && {
        inputRef,
        trailing: <SignKey label={field.label} inputRef={inputRef} value={text.shown} onChange={text.type} />,
      })}
      autoComplete="off"
      rows={isLong ? rowsOf(text.shown) : 1}
      isMono={field.kind === 'json' && isLong}
      // An empty text takes one line, which saves room on a phone; it grows with its text.
      {...(isLong && { className: LONG_CLASS })}
      onChange={text.type}
      onBlur={text.save}
      onKeyDown={(event) => {
        if (event.key === 'Enter' && !isLong) text.save()
        // Escape discards the typed text; a second one closes the panel around the field.
        if (event.key !== 'Escape' || !text.takeBack()) event.continuePropagation()
      }}
    />
  )
  // In print an input would cut off text that does not fit.
  const printed = (
    <p aria-hidden className="hidden text-body [overflow-wrap:anywhere] whitespace-pre-wrap print:block">
      {props.value === null ? words.empty : formatValue(field, props.value)}
    </p>
  )
  if (!text.conflict) {
    return (
      <>
        {input}
        {printed}
      </>
    )
  }
  return (
    <div className="flex flex-col gap-2">
      {input}
      {printed}
      <TextConflict conflict={text.conflict} onChoose={text.choose} />
    </div>
  )
}

const LONG_CLASS =
  '[&_textarea]:field-sizing-content [&_textarea]:max-h-96 [&_textarea]:min-h-9 coarse:[&_textarea]:min-h-11 tablet:[&_textarea]:min-h-15'

/** Returns the number of lines for a text, within limits, for browsers that do not size the field themselves. */
function rowsOf(text: string): number {
  return Math.min(14, Math.max(2, text.split('\n').length + Math.floor(text.length / 90)))
}

function inputType({ kind }: Field): 'text' | 'date' | 'datetime-local' | 'email' | 'url' | 'tel' {
  switch (kind) {
    case 'date':
      return 'date'
    case 'datetime':
      return 'datetime-local'
    case 'email':
      return 'email'
    case 'url':
      return 'url'
    case 'phone':
      return 'tel'
    default:
      return 'text'
  }
}

/** Returns the input's text: the browser's own format for dates, comma-separated words for lists. */
function shownText(field: Field, value: FieldValue): string {
  if (field.kind === 'datetime') return toEditText(field, value).replace(' ', 'T')
  if (field.kind === 'json' && field.column.type.endsWith('[]')) return formatValue(field, value)
  return toEditText(field, value)
}

function ChoiceInput(props: InputProps): JSX.Element {
  const { field, value, onCommit } = props
  const empty = field.column.nullable || value === null ? [{ value: EMPTY, label: words.empty }] : []
  const offered = offeredChoices(field, value, props.refusedChoices)
  const description = [descriptionOf(props), notOfferedWords(field, value, props.refusedChoices)]
    .filter((part) => part !== undefined)
    .join(' · ')
  return (
    <Select
      label={labelOf(props)}
      description={description === '' ? undefined : description}
      errorMessage={props.problem}
      value={value === null ? null : String(value)}
      placeholder={words.empty}
      options={[
        ...offered.map((choice) => ({
          value: choice,
          label: choiceWords(choice, field.choiceWords),
          content: <ChoiceChip choice={choice} among={field.choices} words={field.choiceWords} />,
        })),
        ...empty,
      ]}
      onChange={(choice) => {
        if (choice !== (value ?? EMPTY)) void onCommit(choice === EMPTY ? null : choice)
      }}
    />
  )
}

function BooleanInput(props: InputProps): JSX.Element {
  const { field, value, onCommit } = props
  return (
    <Select
      label={labelOf(props)}
      description={descriptionOf(props)}
      errorMessage={props.problem}
      value={value === null ? null : String(value)}
      placeholder={words.empty}
      options={[
        { value: '1', label: words.yes },
        { value: '0', label: words.no },
        ...(field.column.nullable ? [{ value: EMPTY, label: words.empty }] : []),
      ]}
      onChange={(choice) => void onCommit(choice === EMPTY ? null : Number(choice))}
    />
  )
}

function LinkInput(props: InputProps): JSX.Element {
  const { field, value, label, onCommit, onOpenLink } = props
  const [isOpen, setOpen] = useState(false)
  const [text, setText] = useState('')
  const options = useLinkOptions(isOpen ? field.link : undefined, text)
  const shown = value === null ? words.empty : formatValue(field, value, label)
  const description = descriptionOf(props)
  const clear: readonly PickerOption[] =
    field.column.nullable && value !== null && text === '' ? [{ id: EMPTY, label: words.empty }] : []
  const { link } = field
  return (
    <div className="flex flex-col gap-1.5">
      <span className={fieldLabelClass} aria-hidden>
        {labelOf(props)}
      </span>
      <div className="flex items-center gap-1">
        <PopoverTrigger isOpen={isOpen} onOpenChange={setOpen}>
          <Button
            aria-label={`${labelOf(props)}: ${shown}`}
            className="h-9 min-w-0 flex-1 truncate rounded-sm border border-control bg-bg px-3 text-left text-body data-hovered:border-muted coarse:h-11"
          >
            <span className={value === null ? 'text-subtle' : undefined}>{shown}</span>
          </Button>
          <Popover label={field.label} placement="bottom start" className="w-80 overflow-hidden">
            <OptionPicker
              label={field.label}
              options={options && [...options, ...clear]}
              selected={value === null ? null : String(value)}
              text={text}
              onTextChange={setText}
              onSelect={(id) => {
                setOpen(false)
                setText('')
                if (id !== (value ?? EMPTY)) void onCommit(id === EMPTY ? null : id)
              }}
            />
          </Popover>
        </PopoverTrigger>
        {link && value !== null && onOpenLink ? (
          <IconButton
            label={words.openLink(shown)}
            icon={<ArrowUpRight size={16} aria-hidden />}
            onPress={() => onOpenLink(link.table, String(value))}
          />
        ) : null}
      </div>
      {description === undefined ? null : <p className="text-small text-muted print:hidden">{description}</p>}
      {props.problem === undefined ? null : (
        <p role="alert" className="text-small text-danger">
          {props.problem}
        </p>
      )}
    </div>
  )
}
