#!/usr/bin/env bash
# make bench-lines: 20,000 random addresses of a C++ program of 30 MB and more
# with debug information, resolved by us and by llvm-symbolizer: do names,
# inline chains, files and lines agree, and what do they cost?
set -eu
cd "$(dirname "$0")/../.."
dir=build/bench/lines.d
mkdir -p $dir

# Six units full of templates; each has about 6 MB of DWARF.
unit() {
	cat <<C
#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <random>
#include <regex>
#include <set>
#include <sstream>
#include <unordered_map>
namespace n$1 {
template <int K> struct Key {
	int a[K];
	bool operator<(const Key &o) const { return std::lexicographical_compare(a, a + K, o.a, o.a + K); }
	bool operator==(const Key &o) const { return std::equal(a, a + K, o.a); }
};
template <int K> struct Hash {
	size_t operator()(const Key<K> &k) const { size_t h = 0; for (int x : k.a) h = h * 31 + x; return h; }
};
template <int K> int work(int seed)
{
	std::map<Key<K>, std::string> m;
	std::unordered_map<Key<K>, std::vector<std::string>, Hash<K>> u;
	std::deque<Key<K>> d;
	std::set<std::pair<int, Key<K>>> s;
	std::mt19937 r(seed);
	for (int i = 0; i < 100; i++) {
		Key<K> k;
		for (int &x : k.a) x = r();
		m[k] = std::to_string(i);
		u[k].push_back(m[k] + "x");
		d.push_front(k);
		s.emplace(i, k);
	}
	std::stable_sort(d.begin(), d.end(), [](const Key<K> &a, const Key<K> &b) { return b < a; });
	std::regex e("(a|b)*c$1[x-z]+");
	std::ostringstream o;
	for (auto &p : m) { o << p.second; if (std::regex_search(p.second, e)) o << "!"; }
	std::function<int(int)> f = [&](int x) { return x + (int)o.str().size() + K; };
	return f(seed) + s.size();
}
int run(int x) { return work<1>(x) + work<2>(x) + work<3>(x) + work<4>(x) + work<5>(x) + work<6>(x) + work<7>(x) + work<8>(x); }
}
C
}
program=$dir/big
if [ ! -x $program ]; then
	echo "building a large C++ program, once" >&2
	for i in 0 1 2 3 4 5; do
		unit $i >$dir/u$i.cc
		g++ -O2 -g -c -o $dir/u$i.o $dir/u$i.cc
	done
	{
		for i in 0 1 2 3 4 5; do echo "namespace n$i { int run(int); }"; done
		echo 'int main(int c, char **) { return n0::run(c) + n1::run(c) + n2::run(c) + n3::run(c) + n4::run(c) + n5::run(c); }'
	} >$dir/main.cc
	g++ -O2 -g -o $program $dir/main.cc $dir/u?.o
fi
echo "$program: $(stat -c %s $program) bytes, $(nproc) CPUs, $(llvm-symbolizer --version | grep -o 'LLVM version.*')"

read -r start size < <(readelf -SW $program | sed 's/^ *\[ *[0-9]*\]//' | awk '$1 == ".text" {print $3, $5}')
awk -v start=$((16#$start)) -v size=$((16#$size)) 'BEGIN { srand(7); for (i = 0; i < 20000; i++) printf "0x%x\n", start + int(rand() * size) }' >$dir/addresses

build/bench/lines $program <$dir/addresses >$dir/ours 2>$dir/ours.cost
env time -f '%U %S %M' -o $dir/llvm.cost llvm-symbolizer --obj=$program -i -f --no-demangle <$dir/addresses >$dir/llvm.raw
# Its columns, which we do not tell, are cut; paths are made the same.
sed -E 's/^(.*:[0-9]+):[0-9]+$/\1/' $dir/llvm.raw >$dir/llvm

awk -v ours=$dir/ours -v llvm=$dir/llvm '
function clean(path) { while (sub(/[^\/]+\/\.\.\//, "", path)); gsub(/\/\.\//, "/", path); return path }
# Constructors C1 and C2 are two names of the same code, and read the same.
function alias(name) { gsub(/C1E/, "C2E", name); gsub(/D1E/, "D2E", name); return name }
function block(file,   line, text, n) {
	text = ""
	while ((getline line < file) > 0 && line != "")
		text = text (++n % 2 ? alias(line) : clean(line)) "\n"
	return text
}
BEGIN {
	for (i = 0; i < 20000; i++) {
		a = block(ours); b = block(llvm)
		if (a == b) { same++; continue }
		cold = b; sub(/\.cold(\.[0-9]+)?\n/, "\n", cold)
		split(a, x, "\n"); split(b, y, "\n")
		if (cold == a || index(b, ".cold")) why = "the .cold part of a function: ours has the name of the function (C07)"
		else if (x[1] == y[1] && x[2] == "??:0" && y[2] ~ /^[^\/]*:0$/) why = "the file of a symbol without a line: ours tells none"
		else if (x[1] == "??" && y[1] == "??") why = "a line without a function (padding): ours tells neither"
		else { why = "other"; if (!shown++) example = a "-- llvm-symbolizer:\n" b }
		reasons[why]++
	}
	printf "the same: %d of 20000 (%.2f %%)\n", same, same / 200
	for (why in reasons) printf "%6d  %s\n", reasons[why], why
	printf "%s", example
}'
read -r our_ms our_kb <$dir/ours.cost
read -r user system llvm_kb <$dir/llvm.cost
awk -v a="$our_ms" -v am="$our_kb" -v u="$user" -v s="$system" -v bm="$llvm_kb" 'BEGIN {
	b = (u + s) * 1000
	printf "CPU     %6.0f ms, llvm-symbolizer %6.0f ms: %.1f times as fast\n", a, b, b / a
	printf "memory  %6.1f MB, llvm-symbolizer %6.1f MB: %.0f %%\n", am / 1024, bm / 1024, 100 * am / bm
}'
