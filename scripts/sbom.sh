#!/bin/sh
# Prints what an image with these optional parts is made of, as CycloneDX: `npm run --silent sbom -- aws tracing > sbom.cdx.json`. The image has the
# same list in /app/sbom.cdx.json. In a checkout npm would mix up what is for development, so the packages are installed aside, from the lock file.
set -eu
root=$(pwd)
aside=$(mktemp -d)
trap 'rm -rf "$aside"' EXIT
# The list gets the name of the folder.
made="$aside/@parley/server"
mkdir -p "$made"
cp package-lock.json .npmrc "$made"
node scripts/image-manifest.mjs "$@" > "$made/package.json"
cd "$made"
npm install --ignore-scripts --omit=dev --prefer-offline > /dev/null
npm pkg delete devDependencies scripts
rm package-lock.json
npm sbom --sbom-format cyclonedx --sbom-type application
cd "$root"
