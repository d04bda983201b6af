import { ArrowDown, ArrowUp, Copy, MoreHorizontal, SlidersHorizontal, Trash2 } from 'lucide-react'
import type { JSX, ReactNode } from 'react'
import { Checkbox } from '../../components/checkbox.tsx'
import { IconButton } from '../../components/icon-button.tsx'
import { Menu, MenuItem, MenuTrigger } from '../../components/menu.tsx'
import { Select } from '../../components/select.tsx'
import { TextField } from '../../components/text-field.tsx'
import { showToast } from '../../components/toast.tsx'
import { ANSWER_KINDS, type AnswerKind, hasFiles } from '../../lib/checklists/checklist.ts'
import { cx } from '../../lib/cx.ts'
import { builderMessages as words } from '../../messages/checklist-builder.ts'
import {
  changeQuestion,
  type DraftQuestion,
  type DraftSection,
  duplicateEntry,
  possibleFindings,
  PROMPT_MAX,
  removeEntry,
  renameSection,
} from './builder-draft.ts'
import { type EntryListProps, nameOf } from './entry-props.ts'

interface CardProps<Entry> extends EntryListProps {
  readonly entry: Entry
  /** Moves the entry. */
  readonly handle: ReactNode
  readonly onStep: (by: -1 | 1) => void
}

export function SectionCard(props: CardProps<DraftSection>): JSX.Element {
  const { draft, entry, handle, problems, active, onChange } = props
  return (
    <div className="flex items-start gap-1">
      {handle}
      <TextField
        label={words.section}
        isLabelHidden
        placeholder={words.section}
        value={entry.title}
        className="min-w-0 flex-1 [&_input]:font-medium"
        onChange={(title) => onChange(renameSection(draft, entry.id, title))}
        errorMessage={problems.has(entry.id) ? words.problems.section : undefined}
        // A new section opens for its name.
        // oxlint-disable-next-line jsx-a11y/no-autofocus
        autoFocus={active === entry.id}
      />
      <EntryMenu {...props} />
    </div>
  )
}

export function QuestionCard(props: CardProps<DraftQuestion> & { readonly number: number }): JSX.Element {
  const { draft, entry, handle, problems, active, number, fileKinds, onActive, onChange } = props
  const isOpen = active === entry.id
  const problem = problems.get(entry.id)
  const set = (change: Partial<DraftQuestion>): void => onChange(changeQuestion(draft, entry.id, change))
  const kinds = ANSWER_KINDS.filter((kind) => !hasFiles(kind) || fileKinds.has(kind) || entry.kind === kind)
  return (
    <div className={cx('rounded-lg border bg-raised p-2', isOpen ? 'border-accent' : 'border-border')}>
      <div className="flex flex-wrap items-start gap-1">
        {handle}
        <TextField
          label={words.promptAt(number)}
          isLabelHidden
          placeholder={words.prompt}
          value={entry.prompt}
          maxLength={PROMPT_MAX}
          className="min-w-0 flex-1 basis-40"
          onChange={(prompt) => set({ prompt })}
          onFocus={() => onActive(entry.id)}
          errorMessage={problem === undefined || problem === 'section' ? undefined : words.problems[problem]}
          // A new question opens for its text.
          // oxlint-disable-next-line jsx-a11y/no-autofocus
          autoFocus={isOpen && entry.prompt === ''}
        />
        <div className="flex items-center gap-1 max-tablet:w-full max-tablet:justify-end max-tablet:pl-9">
          <Select
            label={words.kindOf(number)}
            isLabelHidden
            className="w-40 max-tablet:flex-1"
            options={kinds.map((kind) => ({ value: kind, label: words.kinds[kind] }))}
            value={entry.kind}
            onChange={(kind) => {
              onActive(entry.id)
              set({ kind: kind as AnswerKind, ...(kind === 'yes_no' && { findingWhen: ['no'] }) })
            }}
          />
          <IconButton
            label={words.settings(nameOf(entry))}
            icon={<SlidersHorizontal size={16} aria-hidden />}
            aria-expanded={isOpen}
            isActive={isOpen}
            onPress={() => onActive(isOpen ? undefined : entry.id)}
          />
          <EntryMenu {...props} />
        </div>
      </div>
      {isOpen ? <Settings {...props} set={set} /> : null}
    </div>
  )
}

function Settings({
  entry,
  hasFindings,
  set,
}: CardProps<DraftQuestion> & { readonly set: (change: Partial<DraftQuestion>) => void }): JSX.Element {
  const possible = possibleFindings(entry)
  return (
    <div className="flex flex-col gap-3 px-1 pt-3 pb-1 tablet:pl-7">
      {entry.kind === 'choice' ? (
        <TextField
          label={words.options}
          rows={4}
          value={entry.choices.join('\n')}
          onChange={(text) => set({ choices: text.split('\n') })}
        />
      ) : null}
      {entry.kind === 'reading' ? (
        <div className="grid grid-cols-3 gap-2">
          <TextField label={words.unit} value={entry.unit} maxLength={20} onChange={(unit) => set({ unit })} />
          <TextField label={words.min} inputMode="decimal" value={entry.min} onChange={(min) => set({ min })} />
          <TextField label={words.max} inputMode="decimal" value={entry.max} onChange={(max) => set({ max })} />
        </div>
      ) : null}
      <TextField label={words.help} rows={2} value={entry.help} maxLength={1_000} onChange={(help) => set({ help })} />
      <div className="flex flex-wrap gap-x-6 gap-y-2">
        <Checkbox isSelected={entry.isRequired} onChange={(isRequired) => set({ isRequired })}>
          {words.required}
        </Checkbox>
        {hasFindings && possible.length > 0 ? (
          <fieldset className="flex flex-wrap items-center gap-x-4 gap-y-1">
            <legend className="float-left pr-3 text-body text-muted">{words.findingWhen}</legend>
            {possible.map((answer) => (
              <Checkbox
                key={answer}
                isSelected={entry.findingWhen.includes(answer)}
                onChange={(isOn) =>
                  set({
                    findingWhen: isOn
                      ? [...entry.findingWhen, answer]
                      : entry.findingWhen.filter((one) => one !== answer),
                  })
                }
              >
                {entry.kind === 'choice' ? answer : words.findingAnswers[answer as 'yes' | 'no' | 'out_of_range']}
              </Checkbox>
            ))}
          </fieldset>
        ) : null}
      </div>
    </div>
  )
}

function EntryMenu({ draft, entry, onActive, onChange, onStep }: CardProps<DraftQuestion | DraftSection>): JSX.Element {
  const name = nameOf(entry)
  return (
    <MenuTrigger>
      <IconButton label={words.more(name)} icon={<MoreHorizontal size={16} aria-hidden />} />
      <Menu label={words.more(name)}>
        <MenuItem
          icon={<Copy size={16} aria-hidden />}
          onAction={() => {
            const copied = duplicateEntry(draft, entry.id)
            onChange(copied.draft)
            onActive(copied.id)
          }}
        >
          {words.duplicate}
        </MenuItem>
        <MenuItem icon={<ArrowUp size={16} aria-hidden />} onAction={() => onStep(-1)}>
          {words.moveUp}
        </MenuItem>
        <MenuItem icon={<ArrowDown size={16} aria-hidden />} onAction={() => onStep(1)}>
          {words.moveDown}
        </MenuItem>
        <MenuItem
          isDanger
          icon={<Trash2 size={16} aria-hidden />}
          onAction={() => {
            onChange(removeEntry(draft, entry.id))
            showToast({ text: words.removed(name) })
          }}
        >
          {words.remove}
        </MenuItem>
      </Menu>
    </MenuTrigger>
  )
}
