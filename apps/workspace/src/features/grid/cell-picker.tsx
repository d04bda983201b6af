import { type JSX, useImperativeHandle, useRef, useState } from 'react'
import { Dialog } from 'react-aria-components/Dialog'
import { Popover } from 'react-aria-components/Popover'
import { ChoiceChip } from '../../components/fields/choice-chip.tsx'
import { OptionPicker, type PickerOption } from '../../components/fields/option-picker.tsx'
import { popoverClass } from '../../components/layers/layer-props.ts'
import { cx } from '../../lib/cx.ts'
import { type Field, offeredChoices } from '../../lib/fields/field.ts'
import { choiceWords } from '../../lib/fields/format-value.ts'
import { useLinkOptions } from '../../lib/records/use-link-options.ts'
import { fieldMessages as words } from '../../messages/fields.ts'
import type { CellEditorProps } from './cell-editor-props.ts'

/** Id of the option that clears a field. */
const EMPTY = ''

/** Lets the user pick a choice or a linked record from a list under the cell. Typing filters the list. */
export function CellPicker({ field, value, typed, refused, handle, onCommit, onCancel }: CellEditorProps): JSX.Element {
  const anchor = useRef<HTMLSpanElement>(null)
  const [text, setText] = useState(typed ?? '')
  const links = useLinkOptions(field.kind === 'link' ? field.link : undefined, text)
  // There is no intermediate input to lose.
  useImperativeHandle(handle, () => ({ finish: () => true }))

  const clear: readonly PickerOption[] =
    field.column.nullable && text === '' && value !== null ? [{ id: EMPTY, label: words.empty }] : []
  const offered = offeredChoices(field, value, refused?.choices)
  const options = field.kind === 'link' ? links : choiceOptions(field, offered, text)
  const missing = field.kind === 'link' ? undefined : refused?.words
  return (
    <>
      <span ref={anchor} className="pointer-events-none absolute inset-0" />
      <Popover
        triggerRef={anchor}
        isOpen
        onOpenChange={(isOpen) => {
          if (!isOpen) onCancel()
        }}
        placement="bottom start"
        offset={2}
        className={cx(popoverClass, 'w-72 max-w-[calc(100vw-1rem)] overflow-hidden')}
      >
        <Dialog aria-label={field.label} className="outline-none">
          <OptionPicker
            label={field.label}
            options={options && [...options, ...clear]}
            selected={value === null ? null : String(value)}
            text={text}
            onTextChange={setText}
            onSelect={(id) => {
              const label = options?.find((option) => option.id === id)?.label
              onCommit(id === EMPTY ? null : id, 'stay', field.kind === 'link' ? label : undefined)
            }}
          />
          {missing === undefined ? null : (
            <p className="border-t border-border px-3 py-2 text-small text-muted">{missing}</p>
          )}
        </Dialog>
      </Popover>
    </>
  )
}

function choiceOptions(
  { choices: among, choiceWords: given }: Pick<Field, 'choices' | 'choiceWords'>,
  choices: readonly string[],
  text: string,
): readonly PickerOption[] {
  const typed = text.trim().toLowerCase()
  return choices
    .filter(
      (choice) => choiceWords(choice, given).toLowerCase().includes(typed) || choice.toLowerCase().includes(typed),
    )
    .map((choice) => ({
      id: choice,
      label: choiceWords(choice, given),
      content: <ChoiceChip choice={choice} among={among} words={given} />,
    }))
}
