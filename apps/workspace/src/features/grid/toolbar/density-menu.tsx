import { Rows3 } from 'lucide-react'
import type { JSX } from 'react'
import { IconButton } from '../../../components/icon-button.tsx'
import { Menu, MenuItem, MenuTrigger } from '../../../components/menu.tsx'
import { DENSITIES, setAppearance, useAppearance } from '../../../lib/appearance.ts'
import { gridMessages as words } from '../../../messages/grid.ts'

/** Row height on this device, for all tables. */
export function DensityMenu(): JSX.Element {
  const density = useAppearance((appearance) => appearance.density)
  return (
    <MenuTrigger>
      <IconButton label={words.rowHeight} icon={<Rows3 size={16} aria-hidden />} />
      <Menu
        label={words.rowHeight}
        selectionMode="single"
        selectedKeys={[density ?? 'automatic']}
        disallowEmptySelection
        onSelectionChange={(keys) => {
          const [key] = keys === 'all' ? [] : [...keys]
          setAppearance({ density: DENSITIES.find((one) => one === key) })
        }}
      >
        {(['automatic', ...DENSITIES] as const).map((key) => (
          <MenuItem key={key} id={key}>
            {words.densities[key]}
          </MenuItem>
        ))}
      </Menu>
    </MenuTrigger>
  )
}
