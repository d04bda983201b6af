import { useNavigate, useParams } from '@tanstack/react-router'
import { Copy, Ellipsis, ListChecks, Pencil, Shield, Trash2 } from 'lucide-react'
import { type JSX, useState } from 'react'
import { IconButton } from '../../components/icon-button.tsx'
import { Menu, MenuItem, MenuSeparator, MenuTrigger } from '../../components/menu.tsx'
import type { TableInfo } from '../../lib/data/tables.ts'
import { builderMessages } from '../../messages/checklist-builder.ts'
import { tableRulesMessages } from '../../messages/table-rules.ts'
import { tableSettingsMessages as words } from '../../messages/table-settings.ts'
import { WholeTable, type TableTask } from './whole-table.tsx'

const ICON = { size: 16, 'aria-hidden': true } as const

/** The menu of a table, for owners and admins of the workspace that made it. */
export function TableMenu({ table }: { readonly table: TableInfo }): JSX.Element {
  const { ws } = useParams({ from: '/signed-in/w/$ws/t/$table' })
  const navigate = useNavigate()
  const [task, setTask] = useState<TableTask>()
  return (
    <>
      <MenuTrigger>
        <IconButton label={words.tableMenu(table.label)} size="sm" icon={<Ellipsis size={18} aria-hidden />} />
        <Menu label={words.tableMenu(table.label)} placement="bottom start">
          <MenuItem icon={<Pencil {...ICON} />} onAction={() => setTask('rename')}>
            {words.renameTable}
          </MenuItem>
          <MenuItem
            icon={<Shield {...ICON} />}
            onAction={() => void navigate({ to: '/w/$ws/t/$table/rules', params: { ws, table: table.name } })}
          >
            {tableRulesMessages.title}
          </MenuItem>
          <MenuItem
            icon={<ListChecks {...ICON} />}
            onAction={() => void navigate({ to: '/w/$ws/t/$table/checklists', params: { ws, table: table.name } })}
          >
            {builderMessages.title}
          </MenuItem>
          <MenuItem icon={<Copy {...ICON} />} onAction={() => setTask('duplicate')}>
            {words.duplicateTable}
          </MenuItem>
          <MenuSeparator />
          <MenuItem icon={<Trash2 {...ICON} />} isDanger onAction={() => setTask('delete')}>
            {words.deleteTable}
          </MenuItem>
        </Menu>
      </MenuTrigger>
      {task ? <WholeTable table={table} task={task} onClose={() => setTask(undefined)} /> : null}
    </>
  )
}
