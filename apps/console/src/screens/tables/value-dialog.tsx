import { useQuery } from '@tanstack/react-query'
import { Copy } from 'lucide-react'
import type { JSX } from 'react'
import type { TableCell, TableColumnDetails, TableRow } from '@holdfast/protocol'
import { Button, copyText, Dialog } from '@holdfast/workspace'
import { QueryState } from '../../components/query-state.tsx'
import { TextBlock } from '../../components/text-block.tsx'
import { AUDITED_READ, readValue, type RowsTarget } from './use-rows.ts'

/** A value whole. */
export function ValueDialog({
  target,
  row,
  column,
  cell,
  onClose,
}: {
  readonly target: RowsTarget
  readonly row: TableRow
  readonly column: TableColumnDetails
  readonly cell: TableCell
  readonly onClose: () => void
}): JSX.Element {
  const isWhole = cell === null || typeof cell === 'string'
  const value = useQuery({
    queryKey: ['value', target, row.address, row.version, column.name],
    queryFn: () => readValue(target, row, column.name),
    enabled: !isWhole && row.address !== null,
    ...AUDITED_READ,
  })
  const show = (text: string | null): JSX.Element => (
    <div className="flex flex-col gap-3">
      <TextBlock label="Value" className="max-h-[60vh]">
        {text ?? 'null'}
      </TextBlock>
      <div>
        <Button size="sm" icon={<Copy size={14} aria-hidden />} onPress={() => void copyText(text ?? '', 'Copied')}>
          Copy
        </Button>
      </div>
    </div>
  )
  return (
    <Dialog title={`${column.name} (${column.type})`} isOpen onClose={onClose} size="lg">
      {isWhole || row.address === null ? (
        show(isWhole ? cell : cell.start)
      ) : (
        <QueryState query={value}>{show}</QueryState>
      )}
    </Dialog>
  )
}
