import { type JSX, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { CallFailureText } from '../../components/call-failure-text.tsx'
import { Checkbox } from '../../components/checkbox.tsx'
import { Notice } from '../../components/notice.tsx'
import { Section } from '../../components/section.tsx'
import { useCall } from '../../hooks/use-call.ts'
import { useOnline } from '../../hooks/use-online.ts'
import { useFindTable } from '../../lib/data/use-tables.tsx'
import type { Workspace } from '../../lib/records/use-workspace.ts'
import { saveFile } from '../../lib/save-file.ts'
import { templateMessages as words, templateRefusals } from '../../messages/templates.ts'

interface LeftOut {
  /** Absent for a dashboard or an automation. */
  readonly table?: string
  readonly dashboard?: string
  readonly automation?: string
  readonly field?: string
  readonly view?: string
  readonly reason: string
}
interface Exported {
  readonly template: object
  readonly left_out: readonly LeftOut[]
}

/** Saves the workspace's tables as a template, and says what it does not include. For owners and admins. */
export function ExportTemplate({ workspace }: { readonly workspace: Workspace }): JSX.Element {
  const isOnline = useOnline()
  const findTable = useFindTable()
  const call = useCall(templateRefusals)
  const [withRecords, setWithRecords] = useState(false)
  const [leftOut, setLeftOut] = useState<readonly LeftOut[]>()
  const save = async (): Promise<void> => {
    const done = await call.run<Exported>('export_template', { workspace: workspace.id, with_records: withRecords })
    if (!done) return
    const { template, left_out } = done.result
    saveFile(
      `${workspace.name.replace(/[\\/]/g, ' ')}.template.json`,
      `${JSON.stringify(template, null, 2)}\n`,
      'application/json',
    )
    setLeftOut(left_out)
  }
  const describe = ({ table, dashboard, automation, field, view, reason }: LeftOut): string => {
    const label = dashboard ?? automation ?? findTable(table ?? '')?.label ?? table ?? ''
    const part = view ?? field
    const why = (words.leftOutReasons as Readonly<Record<string, string>>)[reason] ?? reason
    return `${label}${part === undefined ? '' : `, ${part}`}: ${why}`
  }
  return (
    <Section title={words.exportTitle} description={words.exportDetail}>
      <div className="flex flex-col items-start gap-3">
        <Checkbox isSelected={withRecords} onChange={setWithRecords}>
          {words.withRecords}
        </Checkbox>
        {withRecords ? <p className="text-small text-muted">{words.withRecordsDetail}</p> : null}
        {isOnline ? null : <p className="text-small text-muted">{words.offline}</p>}
        <Button isDisabled={!isOnline} isPending={call.isPending} onPress={() => void save()}>
          {words.export}
        </Button>
        <CallFailureText failure={call.failure} />
        {leftOut === undefined ? null : leftOut.length === 0 ? (
          <Notice tone="success" role="status" title={words.exported} />
        ) : (
          <Notice tone="warning" role="status" title={words.leftOut}>
            <ul>
              {leftOut.map((one) => (
                <li key={describe(one)}>{describe(one)}</li>
              ))}
            </ul>
          </Notice>
        )}
      </div>
    </Section>
  )
}
