#!/bin/sh
# Makes the certificates of this folder anew, with OpenSSL 3.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat > "$work/ca.conf" <<CONF
[ca]
default_ca = it
[it]
database = $work/index
new_certs_dir = $work
rand_serial = yes
default_md = sha256
policy = any
unique_subject = no
[any]
commonName = supplied
[authority]
basicConstraints = critical, CA:TRUE
subjectKeyIdentifier = hash
[server]
basicConstraints = CA:FALSE
subjectAltName = DNS:example.com, IP:127.0.0.1, IP:::1
CONF
: > "$work/index"
new_key() { openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:prime256v1 -out "$1"; }
request() { openssl req -new -key "$1" -subj "/CN=$2" -out "$work/request"; }
sign() { # FILE UNTIL EXTENSIONS and who signs
  file=$1 until=$2 extensions=$3
  shift 3
  openssl ca -batch -notext -config "$work/ca.conf" -in "$work/request" -out "$file" \
    -startdate 20000101000000Z -enddate "$until" -extensions "$extensions" "$@"
}
new_key "$work/authority.key"
new_key server.key
request "$work/authority.key" "Test authority"
sign authority.pem 20990101000000Z authority -selfsign -keyfile "$work/authority.key"
request server.key example.com
sign stranger.pem 20990101000000Z server -selfsign -keyfile server.key
sign server.pem 20990101000000Z server -cert authority.pem -keyfile "$work/authority.key"
sign expired.pem 20010101000000Z server -cert authority.pem -keyfile "$work/authority.key"
