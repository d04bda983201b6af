import { useRecords, useSchema } from '@holdfast/react'
import { Link, useParams } from '@tanstack/react-router'
import type { JSX } from 'react'
import { Row, Rows, Section } from '../../components/section.tsx'
import { useTables } from '../../lib/data/use-tables.tsx'
import { peopleMessages as words } from '../../messages/people.ts'
import type { People } from './use-people.ts'

/** The tables whose rules admins set in the app. */
export function AccessSection({ people }: { readonly people: People }): JSX.Element | null {
  const { ws } = useParams({ from: '/signed-in/w/$ws/people' })
  const isKept = useSchema().tables.some(({ name }) => name === 'hf_table_rules')
  const { rows } = useRecords<{ readonly table_name: string }>(
    isKept ? 'select table_name from hf_table_rules where workspace_id = ?' : '',
    [people.workspace.id],
  )
  const ruled = new Set(rows.map((row) => row.table_name))
  const tables = useTables().filter(({ descriptor }) => ruled.has(descriptor.table))
  if (tables.length === 0) return null
  return (
    <Section title={words.access} description={words.accessDetail}>
      <Rows label={words.access}>
        {tables.map(({ name, label }) => (
          <Row
            key={name}
            title={
              <Link
                to="/w/$ws/t/$table/rules"
                params={{ ws, table: name }}
                className="rounded-sm text-accent underline-offset-2 hover:underline"
              >
                {label}
              </Link>
            }
          />
        ))}
      </Rows>
    </Section>
  )
}
