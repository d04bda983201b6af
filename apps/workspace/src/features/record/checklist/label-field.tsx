import { useLocalDatabase, useSchema } from '@holdfast/react'
import { ScanLine } from 'lucide-react'
import { type JSX, useMemo, useState } from 'react'
import { Button } from '../../../components/button.tsx'
import { TextField } from '../../../components/text-field.tsx'
import type { Checklist } from '../../../lib/checklists/checklist.ts'
import { labelledTables, labelSql, placesOf } from '../../../lib/checklists/labels.ts'
import type { RecordValues } from '../../../lib/records/record-change.ts'
import { checklistMessages as words } from '../../../messages/checklist.ts'
import { LabelScanner } from './label-scanner.tsx'

/** Finds the place by its label, scanned or typed. */
export function LabelField({
  checklist,
  onFound,
}: {
  readonly checklist: Checklist
  /** Called with values by place field. */
  readonly onFound: (places: RecordValues) => void
}): JSX.Element | null {
  const { database } = useLocalDatabase()
  const schema = useSchema()
  const tables = useMemo(() => labelledTables(checklist, schema), [checklist, schema])
  const [text, setText] = useState('')
  const [isScanning, setScanning] = useState(false)
  const [unknown, setUnknown] = useState<string>()
  if (tables.length === 0) return null
  const find = async (label: string): Promise<void> => {
    const code = label.trim()
    setScanning(false)
    setText(code)
    if (code === '') return
    for (const one of tables) {
      const record = await database.getOptional<RecordValues>(
        labelSql(one),
        one.columns.map(() => code),
      )
      if (!record) continue
      setUnknown(undefined)
      onFound(placesOf(one, record, tables))
      return
    }
    setUnknown(code)
  }
  return (
    <div className="flex flex-col gap-3">
      {isScanning ? (
        <LabelScanner onRead={(label) => void find(label)} onClose={() => setScanning(false)} />
      ) : (
        <Button
          isFullWidth
          className="h-14 text-heading"
          icon={<ScanLine size={22} aria-hidden />}
          onPress={() => setScanning(true)}
        >
          {words.scan}
        </Button>
      )}
      <div className="flex items-end gap-2">
        <TextField
          label={words.label}
          className="flex-1"
          value={text}
          autoComplete="off"
          spellCheck={false}
          errorMessage={unknown === undefined ? undefined : words.unknownLabel(unknown)}
          onChange={(next) => {
            setText(next)
            setUnknown(undefined)
          }}
          onKeyDown={(event) => {
            if (event.key === 'Enter') void find(text)
          }}
        />
        <Button className="h-14" isDisabled={text.trim() === ''} onPress={() => void find(text)}>
          {words.findLabel}
        </Button>
      </div>
    </div>
  )
}
