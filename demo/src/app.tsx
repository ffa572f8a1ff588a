import { Panes } from './panes.tsx'
import { usePlace } from './parts/use-place.ts'
import { sampleName } from './people.ts'
import { Session } from './session.tsx'
import { Welcome } from './welcome/welcome.tsx'

export function App() {
  const place = usePlace()
  if (!place.as) return <Welcome />
  return (
    <Session key={place.as} userId={place.as} name={place.name ?? sampleName(place.as)}>
      <Panes place={{ ...place, as: place.as }} />
    </Session>
  )
}
