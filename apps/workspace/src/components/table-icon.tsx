import {
  Banknote,
  Book,
  Box,
  Briefcase,
  Building,
  Calendar,
  Car,
  CircleHelp,
  ClipboardCheck,
  FileText,
  Flag,
  Folder,
  Gauge,
  HeartPulse,
  House,
  Image,
  Leaf,
  ListChecks,
  ListTodo,
  type LucideIcon,
  Map,
  MapPin,
  MessageSquare,
  Receipt,
  ShoppingCart,
  Table2,
  Tag,
  TextAlignStart,
  Truck,
  User,
  Users,
  Wrench,
  Zap,
} from 'lucide-react'
import type { JSX } from 'react'
import { cx } from '../lib/cx.ts'
import type { TableIconName, TableLooks } from '../lib/data/table-looks.ts'
import { paletteClass } from './chip.tsx'

const ICONS: Readonly<Record<TableIconName, LucideIcon>> = {
  banknote: Banknote,
  book: Book,
  box: Box,
  briefcase: Briefcase,
  building: Building,
  calendar: Calendar,
  car: Car,
  'circle-help': CircleHelp,
  'clipboard-check': ClipboardCheck,
  'file-text': FileText,
  flag: Flag,
  folder: Folder,
  gauge: Gauge,
  'heart-pulse': HeartPulse,
  house: House,
  image: Image,
  leaf: Leaf,
  'list-checks': ListChecks,
  'list-todo': ListTodo,
  map: Map,
  'map-pin': MapPin,
  'message-square': MessageSquare,
  receipt: Receipt,
  'shopping-cart': ShoppingCart,
  table: Table2,
  tag: Tag,
  text: TextAlignStart,
  truck: Truck,
  user: User,
  users: Users,
  wrench: Wrench,
  zap: Zap,
}

/** A table's icon, equal everywhere. Always beside its label. */
export function TableIcon({
  table: { icon, colour },
  size = 'sm',
}: {
  readonly table: Pick<TableLooks, 'icon' | 'colour'>
  readonly size?: 'sm' | 'lg'
}): JSX.Element {
  const Drawn = ICONS[icon]
  return (
    <span
      aria-hidden
      className={cx(
        'grid shrink-0 place-items-center',
        size === 'sm' ? 'size-5 rounded-sm' : 'size-8 rounded-md',
        paletteClass(colour),
      )}
    >
      <Drawn size={size === 'sm' ? 13 : 18} strokeWidth={2} />
    </span>
  )
}
