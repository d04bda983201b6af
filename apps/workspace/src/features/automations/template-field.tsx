import { Braces } from 'lucide-react'
import { type JSX, type ReactNode, useState } from 'react'
import { IconButton } from '../../components/icon-button.tsx'
import { Menu, MenuItem, MenuTrigger } from '../../components/menu.tsx'
import { TextField } from '../../components/text-field.tsx'
import { cx } from '../../lib/cx.ts'
import { automationMessages as words } from '../../messages/automations.ts'
import { type AutomatedTable, readTemplate, showTemplate } from './draft.ts'

/** A text with fields of the record in braces. */
export function TemplateField({
  label,
  isLabelHidden = false,
  value,
  table,
  rows = 1,
  description,
  isDisabled,
  onChange,
}: {
  readonly label: string
  readonly isLabelHidden?: boolean
  /** As stored. */
  readonly value: string
  /** The table of the trigger. */
  readonly table: AutomatedTable
  readonly rows?: number
  readonly description?: ReactNode
  readonly isDisabled: boolean
  readonly onChange: (value: string) => void
}): JSX.Element {
  // While typing, the text stays as typed, also where it names no field yet.
  const [typed, setTyped] = useState<{ readonly text: string; readonly value: string }>()
  const text = typed?.value === value ? typed.text : showTemplate(value, table)
  const change = (next: string): void => {
    const stored = readTemplate(next, table)
    setTyped({ text: next, value: stored })
    onChange(stored)
  }
  return (
    <div className="flex min-w-0 flex-1 items-start gap-1">
      <TextField
        label={label}
        isLabelHidden={isLabelHidden}
        className="min-w-0 flex-1"
        value={text}
        rows={rows}
        description={description}
        isDisabled={isDisabled}
        onChange={change}
      />
      <MenuTrigger>
        <IconButton
          label={words.insert}
          className={cx(!isLabelHidden && 'mt-6')}
          icon={<Braces size={16} aria-hidden />}
          isDisabled={isDisabled}
        />
        <Menu label={words.insert} className="max-h-80 w-56">
          {[
            ...table.fields.map(({ name, label: shown }) => (
              <MenuItem key={name} onAction={() => change(`${text}{${shown}}`)}>
                {shown}
              </MenuItem>
            )),
            ...(table.fields.length === 0
              ? [
                  <MenuItem key="count" onAction={() => change(`${text}{count}`)}>
                    {words.count}
                  </MenuItem>,
                ]
              : []),
            <MenuItem key="today" onAction={() => change(`${text}{today}`)}>
              {words.today}
            </MenuItem>,
          ]}
        </Menu>
      </MenuTrigger>
    </div>
  )
}
