#!/bin/sh
# Puts into image/ what an image of the built server holds: `scripts/image-contents.sh "aws tracing"`, with the optional parts it is to have. It takes
# node_modules with it, so it is for the Dockerfile and for copies of a checkout. Versions are those of the lock file.
set -eu
# The list of what is in it gets the name of the folder.
made=made/@parley/server
rm -rf image made
mkdir -p "$made"
node scripts/image-manifest.mjs "${1:-}" > "$made/package.json"
cp package-lock.json .npmrc "$made"
cp -R dist "$made/dist"
mv node_modules "$made/node_modules"
cd "$made"
npm prune --ignore-scripts --omit=dev
# npm would list what is for development as missing.
npm pkg delete devDependencies scripts
rm package-lock.json
npm sbom --sbom-format cyclonedx --sbom-type application > sbom.cdx.json
# Nobody debugs in there, and no compiler reads types there.
find dist node_modules -type f \( -name '*.map' -o -name '*.ts' -o -name '*.cts' -o -name '*.mts' \) -delete
rm -rf .npmrc node_modules/.bin node_modules/.cache dist/.built
find node_modules -type d -empty -delete
cd ../../..
mv "$made" image
rm -rf made
