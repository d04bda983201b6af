import { Link } from '@tanstack/react-router'
import type { JSX } from 'react'
import type { DeviceDetails, ListedUpload, RejectionGroup } from '@holdfast/protocol'
import { Chip, NoRows, Notice, Section } from '@holdfast/workspace'
import { DataTable, type TableColumn } from '../../components/data-table.tsx'
import { TimeAgo } from '../../components/time-ago.tsx'
import { formatCount } from '../../lib/format.ts'

/** A device's last uploads with verdicts, and its rejected changes by reason. */
export function DeviceUploads({ details }: { readonly details: DeviceDetails }): JSX.Element {
  const { uploads, rejections, uploadProblem } = details
  return (
    <>
      {uploadProblem ? (
        <Notice tone="danger" title="Its newest upload failed without a verdict">
          {uploadProblem.message} ({uploadProblem.code}), <TimeAgo at={uploadProblem.at} />. Request{' '}
          <Link to="/logs" search={{ request: uploadProblem.requestId }} className="font-mono text-mono underline">
            {uploadProblem.requestId}
          </Link>
          .
        </Notice>
      ) : null}
      {rejections.length === 0 ? null : (
        <Section title="Rejected changes" description="By reason, among its last 1,000 transactions.">
          <DataTable
            label="Rejected changes"
            rows={rejections}
            keyOf={({ table, reason }) => `${table ?? ''} ${reason}`}
            columns={REASONS}
          />
        </Section>
      )}
      <Section title="Uploads" description="The last 50 transactions of this device, newest first.">
        {uploads.length === 0 ? (
          <NoRows>No uploads through Holdfast. Apps that write through the REST API have none here.</NoRows>
        ) : (
          <DataTable label="Uploads" rows={uploads} keyOf={({ position }) => String(position)} columns={COLUMNS} />
        )}
      </Section>
    </>
  )
}

const REASONS: readonly TableColumn<RejectionGroup>[] = [
  { id: 'reason', label: 'Reason', cell: ({ reason }) => reason },
  { id: 'table', label: 'Table', cell: ({ table }) => table ?? '–' },
  { id: 'message', label: 'Message', cell: ({ message }) => message },
  { id: 'count', label: 'Changes', isNumber: true, cell: ({ count }) => formatCount(count) },
  { id: 'last', label: 'Last', cell: ({ lastAt }) => <TimeAgo at={lastAt} /> },
]

const COLUMNS: readonly TableColumn<ListedUpload>[] = [
  { id: 'position', label: 'Position', isNumber: true, cell: ({ position }) => formatCount(position) },
  { id: 'at', label: 'When', cell: ({ at }) => <TimeAgo at={at} /> },
  { id: 'changes', label: 'Changes', isNumber: true, cell: ({ operations }) => formatCount(operations) },
  {
    id: 'verdict',
    label: 'Verdict',
    cell: ({ status }) =>
      status === 'applied' ? <Chip colour="green">applied</Chip> : <Chip colour="coral">rejected</Chip>,
  },
  { id: 'why', label: 'Why', cell: (upload) => <Problems upload={upload} /> },
]

function Problems({ upload: { problems } }: { readonly upload: ListedUpload }): JSX.Element {
  if (problems.length === 0) return <>–</>
  return (
    <ul className="flex flex-col gap-1">
      {problems.map((problem) => (
        <li key={problem.op_id}>
          {problem.message}
          {problem.status === 'error' ? (
            <span className="text-muted">
              {' '}
              {[problem.table, problem.constraint, ...(problem.policies ?? []), problem.sqlstate]
                .filter(Boolean)
                .join(' · ')}
              {problem.detail === undefined ? '' : ` · ${problem.detail}`}
            </span>
          ) : null}
        </li>
      ))}
    </ul>
  )
}
