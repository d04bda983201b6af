import { FORMULA_FUNCTIONS, type FormulaError, type FormulaField } from '@holdfast/protocol'
import { type JSX, type ReactNode, useId, useRef } from 'react'
import { Button as AriaButton } from 'react-aria-components/Button'
import { Disclosure } from '../../../components/disclosure.tsx'
import { fieldLabelClass, inputClass } from '../../../components/text-field.tsx'
import { computedMessages as words } from '../../../messages/computed.ts'

/** A formula with the fields and functions that can be inserted, and its error at its position. */
export function FormulaInput({
  label,
  description,
  value,
  fields,
  error,
  rows = 3,
  onChange,
}: {
  readonly label: string
  readonly description?: string
  readonly value: string
  readonly fields: readonly FormulaField[]
  readonly error: FormulaError | undefined
  readonly rows?: number
  readonly onChange: (value: string) => void
}): JSX.Element {
  const id = useId()
  const area = useRef<HTMLTextAreaElement>(null)
  const insert = (text: string, cursor = text.length): void => {
    const { selectionStart = value.length, selectionEnd = value.length } = area.current ?? {}
    onChange(value.slice(0, selectionStart) + text + value.slice(selectionEnd))
    requestAnimationFrame(() => {
      area.current?.focus()
      area.current?.setSelectionRange(selectionStart + cursor, selectionStart + cursor)
    })
  }
  const readable = fields.filter(({ type, name }) => type !== undefined && name !== 'id')
  return (
    <div className="flex flex-col gap-1">
      <label htmlFor={id} className={fieldLabelClass}>
        {label}
      </label>
      <textarea
        id={id}
        ref={area}
        rows={rows}
        value={value}
        spellCheck={false}
        autoCapitalize="off"
        autoComplete="off"
        aria-invalid={error !== undefined}
        aria-describedby={`${id}-help`}
        className={`${inputClass} py-2 font-mono`}
        onChange={(event) => onChange(event.target.value)}
      />
      <div id={`${id}-help`} role="status" className="min-h-5 text-small text-muted">
        {error ? <Problem source={value} error={error} /> : description}
      </div>
      <div className="flex flex-wrap gap-1" role="group" aria-label={words.fields}>
        {readable.map((field) => (
          <Insert
            key={field.name}
            name={field.label}
            onPress={() => insert(`{${field.label.replaceAll('}', '}}').replaceAll('{', '{{')}}`)}
          />
        ))}
      </div>
      <Disclosure title={words.functions}>
        <ul className="flex max-h-48 flex-col gap-1 overflow-auto pt-1">
          {Object.entries(FORMULA_FUNCTIONS).map(([name, { usage = name, help = '', example }]) => (
            <li key={name} className="text-small">
              <Insert name={usage} isMono onPress={() => insert(`${name}()`, name.length + 1)} />
              <span className="block pl-1 text-muted">
                {words.functionHelp(name, help)}
                {example ? (
                  <code className="pl-2">{`${example[0]} → ${String(example[1] ?? words.empty)}`}</code>
                ) : null}
              </span>
            </li>
          ))}
        </ul>
      </Disclosure>
    </div>
  )
}

/** The sentence, and the part of the formula that it is about. */
function Problem({ source, error }: { readonly source: string; readonly error: FormulaError }): JSX.Element {
  const part = source.slice(error.from, error.to)
  return (
    <span className="text-danger">
      {words.problem(error.problem, error.message)}
      {part === '' ? null : (
        <code className="block truncate">
          <span className="text-muted">{source.slice(Math.max(0, error.from - 24), error.from)}</span>
          <mark className="bg-transparent font-semibold text-danger underline decoration-wavy">{part}</mark>
          <span className="text-muted">{source.slice(error.to, error.to + 24)}</span>
        </code>
      )}
    </span>
  )
}

function Insert({
  name,
  isMono = false,
  onPress,
}: {
  readonly name: ReactNode & string
  readonly isMono?: boolean
  readonly onPress: () => void
}): JSX.Element {
  return (
    <AriaButton
      aria-label={words.insert(name)}
      onPress={onPress}
      className={`inline-flex min-h-6 max-w-full items-center truncate rounded-sm bg-surface px-1.5 text-small text-text data-hovered:bg-hover data-pressed:bg-pressed coarse:min-h-11 ${isMono ? 'font-mono' : ''}`}
    >
      {name}
    </AriaButton>
  )
}
