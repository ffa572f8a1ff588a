import type { ReactNode } from 'react'

/** Drawn like the logo: even strokes, round joins. The words beside them, or the label of the button, say what they mean. */
const icon = (drawing: ReactNode) =>
  function Icon({ size = 22 }: { size?: number }) {
    return (
      <svg
        viewBox="0 0 24 24"
        width={size}
        height={size}
        fill="none"
        stroke="currentColor"
        strokeWidth="1.9"
        strokeLinecap="round"
        strokeLinejoin="round"
        aria-hidden="true"
      >
        {drawing}
      </svg>
    )
  }

export const BackIcon = icon(<path d="M15 5l-7 7 7 7" />)
export const SendIcon = icon(<path d="M4.5 12h6M4.5 12L3 4.5 21 12 3 19.5z" />)
export const NewChatIcon = icon(<path d="M20 11V5H4v11h2v4l5-4h2M18 14v6M15 17h6" />)
export const CloseIcon = icon(<path d="M6 6l12 12M18 6L6 18" />)
export const UpIcon = icon(<path d="M12 19V5m-6 6 6-6 6 6" />)
export const DownIcon = icon(<path d="M6 10l6 6 6-6" />)
export const WindowIcon = icon(<path d="M10 5H4v15h15v-6M14 4h6v6M20 4l-9 9" />)
export const CodeIcon = icon(<path d="M8 7l-5 5 5 5M16 7l5 5-5 5M13.5 5l-3 14" />)
export const SwitchIcon = icon(<path d="M4 8h14l-4-4M20 16H6l4 4" />)
export const CopyIcon = icon(<path d="M9 9h11v11H9zM5 15H4V4h11v1" />)
export const OfflineIcon = icon(<path d="M9 5h11v11h-1M15 16h-4l-5 4v-4H4V5h1M3 3l18 18" />)
export const ReplyIcon = icon(<path d="M9 6l-5 5 5 5M4 11h10a6 6 0 0 1 6 6v2" />)
export const EditIcon = icon(<path d="M4 20v-4L16 4l4 4L8 20zM13.5 6.5l4 4" />)
export const TrashIcon = icon(<path d="M4 7h16M9 7V4h6v3M6.5 7l1 13h9l1-13M10 11v5M14 11v5" />)
export const CheckIcon = icon(<path d="M5 12.5l5 5L19.5 7" />)
export const MoreIcon = icon(<path d="M6 12h.01M12 12h.01M18 12h.01" strokeWidth="2.8" />)
export const EmojiIcon = icon(
  <>
    <circle cx="12" cy="12" r="9" />
    <path d="M8 14.5a4.8 4.8 0 0 0 8 0M9 9.5h.01M15 9.5h.01" />
  </>,
)
export const GroupIcon = icon(
  <>
    <circle cx="9" cy="8" r="3.5" />
    <path d="M2.5 20v-1.5a5 5 0 0 1 5-5h3a5 5 0 0 1 5 5V20M16 4.8a3.5 3.5 0 0 1 0 6.4M18 13.8a5 5 0 0 1 3.5 4.7V20" />
  </>,
)
export const PinIcon = icon(<path d="M9 4h6l-.8 6 3.3 3.5h-11L9.8 10zM12 13.5V20" />)
export const MuteIcon = icon(<path d="M6 16h12l-1.5-2.5V10a4.5 4.5 0 0 0-8-2.8M7.5 10v3.5L6 16M10 19.5h4M4 4l16 16" />)
export const BellIcon = icon(<path d="M6 16h12l-1.5-2.5V10a4.5 4.5 0 0 0-9 0v3.5zM10 19.5h4" />)
export const ArchiveIcon = icon(<path d="M4 5h16v4H4zM5.5 9v10h13V9M10 13h4" />)
export const BlockIcon = icon(
  <>
    <circle cx="12" cy="12" r="8.5" />
    <path d="M6 6l12 12" />
  </>,
)
export const AttachIcon = icon(
  <path d="M19.5 11.5l-7.8 7.8a4.6 4.6 0 0 1-6.5-6.5l8.2-8.2a3 3 0 0 1 4.3 4.3l-8 8a1.5 1.5 0 0 1-2.2-2.2l7-7" />,
)
export const FileIcon = icon(<path d="M6 3.5h8l4.5 4.5v12.5H6zM14 3.5V8h4.5" />)
export const LeaveIcon = icon(<path d="M13 4H5v16h8M10 12h10M16.5 8.5L20 12l-3.5 3.5" />)
export const FlagIcon = icon(<path d="M5 21V4h13l-2.5 4.5L18 13H5" />)
export const RefreshIcon = icon(<path d="M20 11a8 8 0 1 0-2 6.3M20 5v6h-6" />)
