import { useRecords, useSchema } from '@holdfast/react'
import {
  type ChangeEvent,
  type JSX,
  type KeyboardEvent,
  type RefObject,
  useEffect,
  useId,
  useRef,
  useState,
} from 'react'
import { Avatar } from '../../components/avatar.tsx'
import { fieldLabelClass, inputClass } from '../../components/text-field.tsx'
import { cx } from '../../lib/cx.ts'
import { mentionableSql } from '../../lib/data/people-sql.ts'
import {
  insertMention,
  type Mentionable,
  mentionStart,
  type MentionStart,
  suggestPeople,
} from '../../lib/records/mentions.ts'
import { useWorkspace } from '../../lib/records/use-workspace.ts'
import { isApple } from '../../lib/shortcuts.ts'
import { mentionMessages as words } from '../../messages/mentions.ts'

interface MentionFieldProps {
  readonly label: string
  readonly placeholder: string
  readonly value: string
  readonly errorMessage: string | undefined
  readonly onChange: (value: string) => void
  readonly onMention: (person: Mentionable) => void
  /** Called on `Ctrl Enter`. */
  readonly onSend: () => void
}

/**
 * A text field in which `@` lists the users who can be mentioned. Arrow keys move, `Enter` or `Tab` selects, `Esc` closes the list. Screen readers announce the
 * number of users and the active one.
 */
export function MentionField({
  label,
  placeholder,
  value,
  errorMessage,
  onChange,
  onMention,
  onSend,
}: MentionFieldProps): JSX.Element {
  const id = useId()
  const area = useRef<HTMLTextAreaElement>(null)
  const { suggested, current, change, choose, press, close } = useMentions(area, { value, onChange, onMention, onSend })
  const isOpen = suggested.length > 0
  return (
    <div className="flex w-full flex-col gap-1.5">
      <label htmlFor={id} className={fieldLabelClass}>
        {label}
      </label>
      <textarea
        ref={area}
        id={id}
        rows={3}
        value={value}
        placeholder={placeholder}
        aria-autocomplete="list"
        aria-controls={isOpen ? `${id}-people` : undefined}
        aria-activedescendant={isOpen && current ? `${id}-${current.userId}` : undefined}
        aria-invalid={errorMessage === undefined ? undefined : true}
        aria-describedby={errorMessage === undefined ? undefined : `${id}-error`}
        onChange={change}
        onKeyDown={press}
        onBlur={close}
        className={cx(inputClass, 'resize-y py-2')}
      />
      <p role="status" className="sr-only">
        {isOpen ? words.suggested(suggested.length) : ''}
      </p>
      {isOpen ? <PeopleList id={id} people={suggested} current={current} onChoose={choose} /> : null}
      {errorMessage === undefined ? null : (
        <div id={`${id}-error`} className="text-small text-danger">
          {errorMessage}
        </div>
      )}
    </div>
  )
}

/** The list of users that `@` opens, and its keys. */
function useMentions(
  area: RefObject<HTMLTextAreaElement | null>,
  { value, onChange, onMention, onSend }: Pick<MentionFieldProps, 'value' | 'onChange' | 'onMention' | 'onSend'>,
): {
  readonly suggested: readonly Mentionable[]
  readonly current: Mentionable | undefined
  readonly change: (event: ChangeEvent<HTMLTextAreaElement>) => void
  readonly choose: (person: Mentionable) => void
  readonly press: (event: KeyboardEvent) => void
  readonly close: () => void
} {
  const cursor = useRef<number>(undefined)
  const [start, setStart] = useState<MentionStart>()
  const [active, setActive] = useState(0)
  const people = usePeople(start !== undefined)
  const suggested = start ? suggestPeople(people, start.typed) : []
  const isOpen = suggested.length > 0
  const current = suggested[Math.min(active, suggested.length - 1)]

  // The browser owns the cursor, which can move only once the text is rendered.
  useEffect(() => {
    if (cursor.current === undefined) return
    area.current?.setSelectionRange(cursor.current, cursor.current)
    cursor.current = undefined
  })

  const change = ({ target }: ChangeEvent<HTMLTextAreaElement>): void => {
    onChange(target.value)
    setStart(mentionStart(target.value, target.selectionStart))
    setActive(0)
  }
  const choose = (person: Mentionable): void => {
    if (!start) return
    const next = insertMention(value, start, person.name)
    cursor.current = next.cursor
    setStart(undefined)
    onChange(next.text)
    onMention(person)
    area.current?.focus()
  }
  const press = (event: KeyboardEvent): void => {
    if (event.key === 'Enter' && (isApple() ? event.metaKey : event.ctrlKey)) return onSend()
    if (!isOpen || !current) return
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined) setActive((suggested.indexOf(current) + step + suggested.length) % suggested.length)
    else if (event.key === 'Enter' || event.key === 'Tab') choose(current)
    else if (event.key === 'Escape') setStart(undefined)
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  return { suggested, current, change, choose, press, close: () => setStart(undefined) }
}

function PeopleList({
  id,
  people,
  current,
  onChoose,
}: {
  /** Id of the field. */
  readonly id: string
  readonly people: readonly Mentionable[]
  readonly current: Mentionable | undefined
  readonly onChoose: (person: Mentionable) => void
}): JSX.Element {
  return (
    <ul
      id={`${id}-people`}
      role="listbox"
      aria-label={words.people}
      className="flex flex-col rounded-md border border-border bg-raised p-1 shadow-popover"
    >
      {people.map((person) => (
        <li
          key={person.userId}
          id={`${id}-${person.userId}`}
          role="option"
          aria-selected={person === current}
          // Keeps the focus in the field.
          onPointerDown={(event) => event.preventDefault()}
          onClick={() => onChoose(person)}
          className={cx(
            'flex min-h-8 cursor-default items-center gap-2 rounded-sm px-2 text-body coarse:min-h-11',
            person === current ? 'bg-accent-soft text-accent' : 'hover:bg-hover',
          )}
        >
          <Avatar name={person.name} size="sm" /> {person.name}
        </li>
      ))}
    </ul>
  )
}

/** Returns the users with accounts that this user can see: the project's people, and the members of the workspace. */
function usePeople(isAsked: boolean): readonly Mentionable[] {
  const sql = mentionableSql(useSchema())
  const workspace = useWorkspace()
  const { rows } = useRecords<Mentionable>(
    isAsked && sql !== undefined ? sql : '',
    isAsked && sql !== undefined ? [workspace?.id ?? ''] : [],
  )
  return rows
}
